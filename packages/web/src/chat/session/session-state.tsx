import type { SessionHandle } from '@agenthost/client';
import { ACTIVITY_MASK, SessionStatus } from '@agenthost/protocol';
import type { HostLink } from '../../live/host-link.ts';
import { useLinkStatus } from '../../live/use-hosts.ts';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { classes } from '../../ui/class-names.ts';

/** The activity of a session or chat, for people. */
export function activityOf(status: number): { readonly label: string; readonly dot: string } {
  switch (status & ACTIVITY_MASK) {
    case SessionStatus.InputNeeded:
      return { label: text.chat.statusNeedsYou, dot: 'bg-warn' };
    case SessionStatus.InProgress:
      return { label: text.chat.statusRunning, dot: 'bg-accent animate-pulse' };
    case SessionStatus.Error:
      return { label: text.chat.statusError, dot: 'bg-danger' };
    default:
      return { label: text.chat.statusIdle, dot: 'bg-ok' };
  }
}

/** A dot and a word for the state of a session, or for a host that does not answer. */
export function SessionStateLabel({
  link,
  session,
}: {
  readonly link: HostLink;
  readonly session: SessionHandle;
}) {
  const status = useSelected(session.mirror, (state) => state.status);
  const isAway = useLinkStatus(link).state === 'away';
  const { label, dot } = isAway ? { label: text.chat.statusAway, dot: 'bg-faint' } : activityOf(status);
  return (
    <span className="flex shrink-0 items-center gap-1.5">
      <span className={classes('size-2 rounded-full', dot)} aria-hidden />
      {label}
      {(status & SessionStatus.IsArchived) !== 0 && (
        <span className="rounded bg-sunken px-1">{text.chat.statusArchived}</span>
      )}
    </span>
  );
}
