import type { SessionHandle } from '@agenthost/client';
import { authorName, type PresentClient } from '@agenthost/protocol';
import { Eye, MonitorSmartphone, SquareTerminal } from 'lucide-react';
import type { HostLink } from '../live/host-link.ts';
import { useSelected } from '../live/use-live.ts';
import { text } from '../text/text.ts';
import { classes } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { clientName } from './client-name.ts';
import { useOthersAt } from './use-presence.ts';

/** More clients than this are counted. */
const MOST_SHOWN = 4;

/** The other clients that show a session or one of its chats. Nothing when there are none. */
export function PresenceList({
  link,
  session,
}: {
  readonly link: HostLink;
  readonly session: SessionHandle;
}) {
  const chats = useSelected(session.mirror, (state) => state.chats);
  const others = useOthersAt(link, [session.uri, ...chats.map(({ resource }) => resource)]);
  if (others.length === 0) return null;
  const more = others.slice(MOST_SHOWN);
  return (
    <ul aria-label={text.presence.others} className="flex items-center -space-x-1.5 rtl:space-x-reverse">
      {others.slice(0, MOST_SHOWN).map((client) => (
        <li key={client.clientId}>
          <Avatar client={client} />
        </li>
      ))}
      {more.length > 0 && (
        <li>
          <Tooltip label={more.map((client) => clientName(client, undefined)).join(', ')}>
            <span tabIndex={-1} className={classes(CIRCLE, 'bg-sunken text-muted')}>
              {text.presence.more(more.length)}
            </span>
          </Tooltip>
        </li>
      )}
    </ul>
  );
}

const CIRCLE =
  'flex size-6 items-center justify-center rounded-full border border-line-strong text-[0.6875rem] font-medium ring-2 ring-surface';

function Avatar({ client }: { readonly client: PresentClient }) {
  const name = clientName(client, undefined);
  const facts = [
    name,
    text.presence.scope(client.scope),
    client.isVisible ? text.presence.watching : text.presence.inBackground,
  ];
  return (
    <Tooltip label={facts.join(' · ')}>
      <span
        role="img"
        aria-label={facts.join(', ')}
        className={classes(CIRCLE, 'bg-accent-soft text-text', !client.isVisible && 'opacity-60')}
      >
        <Glyph client={client} />
      </span>
    </Tooltip>
  );
}

function Glyph({ client }: { readonly client: PresentClient }) {
  if (client.scope === 'observe' && client.person === undefined)
    return <Eye className="size-3.5" aria-hidden />;
  if (client.device === undefined && client.person === undefined)
    return <SquareTerminal className="size-3.5" aria-hidden />;
  if (client.person === undefined && /Android|iPhone|iPad/.test(client.device ?? ''))
    return <MonitorSmartphone className="size-3.5" aria-hidden />;
  return <span aria-hidden>{authorName(client).trim().charAt(0).toUpperCase()}</span>;
}
