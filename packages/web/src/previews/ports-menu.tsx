import type { SessionHandle } from '@agenthost/client';
import { type SessionPort, sessionPorts } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import { ExternalLink, Globe } from 'lucide-react';
import { useState } from 'react';
import { reporting } from '../chat/report-outcome.ts';
import type { HostLink } from '../live/host-link.ts';
import { useSelected } from '../live/use-live.ts';
import { useMayAct } from '../live/use-scope.ts';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { IconButton } from '../ui/button.tsx';
import { LinkDialog } from '../ui/link-dialog.tsx';
import { Menu } from '../ui/menu.tsx';
import { openInTab } from './open-preview.ts';

/** A button for the header of a session that has open ports: lists them, and opens one in a new tab. Only for those who may act. */
export function PortsMenu({ link, session }: { readonly link: HostLink; readonly session: SessionHandle }) {
  const mayAct = useMayAct(link);
  const ports = useSelected(session.mirror, sessionPorts, sameJson);
  const [blocked, setBlocked] = useState<string>();
  const open = async ({ port }: SessionPort): Promise<void> =>
    setBlocked(await reporting(text.previews.opening, () => openInTab(session, port)));
  if (!mayAct || (ports.length === 0 && blocked === undefined)) return undefined;
  const entries = ports.map((port) => ({
    label: text.previews.open(port.port, programOf(port)),
    icon: <ExternalLink className="size-4" aria-hidden />,
    onSelect: () => void open(port),
  }));
  return (
    <>
      <Menu entries={entries}>
        <IconButton label={text.previews.ports(ports.length)} className="relative">
          <Globe className="size-4" aria-hidden />
          <span
            aria-hidden
            className="absolute end-0.5 top-0.5 min-w-4 rounded-full bg-accent px-1 text-center text-[0.625rem] leading-4 text-on-accent"
          >
            {ports.length}
          </span>
        </IconButton>
      </Menu>
      {blocked !== undefined && (
        <LinkDialog url={blocked} description={text.previews.blocked} onClose={() => setBlocked(undefined)} />
      )}
    </>
  );
}

const programOf = ({ process, title }: SessionPort): string =>
  visibleText(title === undefined ? process : `${process} ${title}`);
