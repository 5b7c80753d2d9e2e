import type { AhpClient } from '@agenthost/client';
import type { HostDiskUseResult } from '@agenthost/protocol';
import { RefreshCw } from 'lucide-react';
import type { HostLink } from '../../live/host-link.ts';
import { byteText } from '../../text/bytes.ts';
import { settingsText } from '../../text/settings-text.ts';
import { language } from '../../text/text.ts';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { AnswerView } from '../answer-view.tsx';
import { FRAME, Panel } from '../panel.tsx';
import { useHostAnswer } from '../use-host-answer.ts';
import { type DiskPart, diskParts } from './disk-parts.ts';

const askDiskUse = (client: AhpClient): Promise<HostDiskUseResult> => client.diskUse();

const COLOURS: Readonly<Record<DiskPart['name'], string>> = {
  contents: 'bg-accent',
  records: 'bg-ok',
  reusable: 'bg-line-strong',
  log: 'bg-warn',
};

/** The disk space that the host uses, by purpose. */
export function DiskUse({ link }: { readonly link: HostLink }) {
  const answer = useHostAnswer(link, askDiskUse);
  return (
    <Panel
      title={settingsText.disk}
      description={settingsText.diskExplain}
      actions={
        <IconButton
          size="small"
          label={settingsText.refresh}
          disabled={answer.isAsking}
          onClick={() => void answer.reload()}
        >
          <RefreshCw className={classes('size-4', answer.isAsking && 'animate-spin')} aria-hidden />
        </IconButton>
      }
    >
      <AnswerView answer={answer}>{(use) => <Bars use={use} />}</AnswerView>
    </Panel>
  );
}

function Bars({ use }: { readonly use: HostDiskUseResult }) {
  const parts = diskParts(use);
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const { diskBytes, diskFreeBytes } = use;
  return (
    <div className={classes(FRAME, 'flex flex-col gap-4 p-4')}>
      <div>
        <p className="mb-1.5 flex justify-between gap-4 text-sm">
          <span>{settingsText.diskOwn}</span>
          <span className="tabular-nums">{byteText(total, language)}</span>
        </p>
        <div aria-hidden className="flex h-2 gap-px overflow-hidden rounded-full bg-sunken">
          {parts.map(({ name, bytes }) => (
            <span
              key={name}
              className={classes('min-w-0.5', COLOURS[name])}
              style={{ flexGrow: bytes, flexBasis: 0 }}
            />
          ))}
        </div>
        <ul className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-xs text-muted">
          {parts.map(({ name, bytes }) => (
            <li key={name} className="inline-flex items-center gap-1.5">
              <span aria-hidden className={classes('size-2 rounded-full', COLOURS[name])} />
              {settingsText.diskParts[name]} <span className="tabular-nums">{byteText(bytes, language)}</span>
            </li>
          ))}
        </ul>
      </div>
      {diskBytes !== undefined && diskFreeBytes !== undefined && diskBytes > 0 && (
        <div>
          <p className="mb-1.5 flex flex-wrap justify-between gap-x-4 text-sm">
            <span>{settingsText.diskWhole}</span>
            <span className="tabular-nums">
              {settingsText.diskFree(byteText(diskFreeBytes, language), byteText(diskBytes, language))}
            </span>
          </p>
          <div aria-hidden className="h-2 overflow-hidden rounded-full bg-sunken">
            <span
              className={classes(
                'block h-full',
                diskFreeBytes < diskBytes * LITTLE ? 'bg-danger' : 'bg-muted',
              )}
              style={{ width: `${(100 * (diskBytes - diskFreeBytes)) / diskBytes}%` }}
            />
          </div>
          {diskFreeBytes < diskBytes * LITTLE && (
            <p className="mt-1.5 text-xs text-danger">{settingsText.diskLittle}</p>
          )}
        </div>
      )}
    </div>
  );
}

/** Below this part of the disk, free space is little. */
const LITTLE = 0.05;
