import { text } from '../../text/text.ts';
import type { BoardSession } from '../board-session.ts';
import { factsOf } from '../session-facts.ts';
import { exactTime, useRelativeTime } from '../use-relative-time.ts';

/** Project, agent, host and age of a session, on one line. */
export function SessionFacts({
  session,
  showsHost,
}: {
  readonly session: BoardSession;
  readonly showsHost: boolean;
}) {
  const { modifiedAt } = session.summary;
  const age = useRelativeTime(modifiedAt);
  const facts = factsOf(session, showsHost);
  return (
    <span className="flex max-w-full min-w-0 shrink-0 text-xs text-muted">
      <span className="max-w-72 truncate whitespace-pre" title={facts}>
        {facts}
      </span>
      <time
        dateTime={modifiedAt}
        title={exactTime(modifiedAt)}
        className="shrink-0 whitespace-pre tabular-nums"
      >
        {text.board.separator}
        {age}
      </time>
    </span>
  );
}
