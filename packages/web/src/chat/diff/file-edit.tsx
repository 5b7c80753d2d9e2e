import type { FileEdit } from '@agenthost/protocol';
import { Columns2, FilePenLine } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { HostLink } from '../../live/host-link.ts';
import { useSetting } from '../../live/setting.ts';
import { baseName, pathOf } from '../../text/file-path.ts';
import { text } from '../../text/text.ts';
import { visibleText } from '../../text/visible-text.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { SafeText } from '../../ui/safe-text.tsx';
import { Spinner } from '../../ui/states.tsx';
import { type Loaded, type ReadContent, useResource } from '../resource.ts';
import { DiffCounts } from './diff-counts.tsx';
import { splitSetting } from './split-setting.ts';

const DiffView = lazy(async () => ({ default: (await import('./diff-view.tsx')).DiffView }));

interface FileEditViewProps {
  readonly link: HostLink;
  readonly edit: FileEdit;
  /** The edit fills a card, which has a frame and tells how many lines change. Default false. */
  readonly isFramed?: boolean;
}

/** The change of one file. Both versions are read from the host when this is first shown. */
export function FileEditView({ link, edit, isFramed = false }: FileEditViewProps) {
  const [before, retryBefore] = useResource(link, edit.before?.content, true);
  const [after, retryAfter] = useResource(link, edit.after?.content, true);
  const [isSplit, setSplit] = useSetting(splitSetting);
  // A new or deleted file has one version only.
  const haveBoth = edit.before !== undefined && edit.after !== undefined;
  const uri = edit.after?.uri ?? edit.before?.uri ?? '';
  const path = pathOf(uri);
  return (
    <div className={classes('overflow-hidden', !isFramed && 'rounded-xl border border-line')}>
      <div className="flex items-center gap-2 border-b border-line bg-canvas py-0.5 ps-3 pe-1 text-xs">
        <FilePenLine className="size-3.5 shrink-0 text-muted" aria-hidden />
        <span className="min-w-0 flex-1 truncate font-mono" title={visibleText(path)}>
          <SafeText>{baseName(path)}</SafeText>
          <EditKind edit={edit} />
        </span>
        {!isFramed && <DiffCounts added={edit.diff?.added} removed={edit.diff?.removed} />}
        {haveBoth && (
          <IconButton
            size="small"
            label={text.chat.diffSplit}
            aria-pressed={isSplit}
            className="max-sm:hidden"
            onClick={() => setSplit(!isSplit)}
          >
            <Columns2 className={classes('size-3.5', isSplit && 'text-accent')} aria-hidden />
          </IconButton>
        )}
      </div>
      <EditContent
        before={edit.before === undefined ? undefined : before}
        after={edit.after === undefined ? undefined : after}
        path={path}
        layout={isSplit && haveBoth ? 'split' : 'unified'}
        onRetry={() => {
          retryBefore();
          retryAfter();
        }}
      />
    </div>
  );
}

function EditKind({ edit }: { readonly edit: FileEdit }) {
  const label =
    edit.before === undefined
      ? text.chat.diffCreated
      : edit.after === undefined
        ? text.chat.diffDeleted
        : edit.before.uri === edit.after.uri
          ? undefined
          : text.chat.diffMoved(pathOf(edit.before.uri));
  return label === undefined ? undefined : <span className="ms-2 font-sans text-muted">{label}</span>;
}

interface EditContentProps {
  readonly before: Loaded<ReadContent> | undefined;
  readonly after: Loaded<ReadContent> | undefined;
  readonly path: string;
  readonly layout: 'unified' | 'split';
  readonly onRetry: () => void;
}

function EditContent({ before, after, path, layout, onRetry }: EditContentProps) {
  const failed = [before, after].find((each) => each?.state === 'failed');
  if (failed?.state === 'failed')
    return (
      <p role="alert" className="flex flex-wrap items-center gap-2 p-3 text-sm text-danger">
        <span className="min-w-0 break-words">{text.chat.loadFailed(failed.reason)}</span>
        <Button size="small" onClick={onRetry}>
          {text.ui.tryAgain}
        </Button>
      </p>
    );
  const isLoaded = [before, after].every((each) => each === undefined || each.state === 'loaded');
  if (!isLoaded) return <Waiting />;
  const old = textIn(before);
  const now = textIn(after);
  if (old === 'binary' || now === 'binary')
    return <p className="p-3 text-sm text-muted">{text.chat.binary}</p>;
  return (
    <Suspense fallback={<Waiting />}>
      <DiffView before={old?.text} after={now?.text} path={path} layout={layout} />
    </Suspense>
  );
}

const Waiting = () => (
  <div className="p-3">
    <Spinner />
  </div>
);

function textIn(loaded: Loaded<ReadContent> | undefined): { readonly text: string } | 'binary' | undefined {
  if (loaded?.state !== 'loaded') return undefined;
  return loaded.value.text === undefined ? 'binary' : { text: loaded.value.text };
}
