import { type ReactNode, useId, useMemo } from 'react';
import { useLinks } from '../../live/use-hosts.ts';
import { FOCUSED_KEYS } from '../../questions/focused-keys.ts';
import { text } from '../../text/text.ts';
import { Spinner } from '../../ui/states.tsx';
import { useAllSessions } from '../all-sessions.ts';
import { BoardEmpty } from '../board-empty.tsx';
import type { BoardSession } from '../board-session.ts';
import { ManageHosts } from '../hosts/manage-hosts.tsx';
import { AskingCard } from './asking-card.tsx';
import { overviewGroups } from './overview-groups.ts';
import { SessionCard } from './session-card.tsx';

/** Sessions of a group that have a card; the list beside has all. */
const MOST_ASKING = 12;
const MOST_CARDS = 12;
/** Read sessions fill the remaining space. */
const MOST_DONE = 4;
/** Questions that are shown in full; each opens its session. */
const MOST_IN_FULL = 4;

/** Sessions that need a person, run, or have finished, beside the list of all sessions. */
export function Overview() {
  const { sessions, isComplete } = useAllSessions();
  const showsHost = useLinks().length > 1;
  const groups = useMemo(() => overviewGroups(sessions), [sessions]);
  const { asks, running, unread, done } = groups;
  const isEmpty = asks.length + running.length + unread.length + done.length === 0;
  return (
    <div {...{ [FOCUSED_KEYS]: '' }} className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex w-full max-w-4xl flex-col gap-8 px-6 pt-5 pb-12">
        <Heading groups={groups} />
        {isEmpty && !isComplete && (
          <div className="flex justify-center py-10">
            <Spinner />
          </div>
        )}
        {isEmpty && isComplete && <BoardEmpty isCompact={false} hasArchived={sessions.length > 0} />}
        <Section title={text.board.needs.asks} sessions={asks} most={MOST_ASKING} isUrgent>
          {(shown) => (
            <div className="flex flex-col gap-5">
              {shown.map((session, index) => (
                <AskingCard
                  key={session.key}
                  session={session}
                  showsHost={showsHost}
                  isInFull={index < MOST_IN_FULL}
                />
              ))}
            </div>
          )}
        </Section>
        <Section title={text.board.needs.running} sessions={running} most={MOST_CARDS}>
          {(shown) => <Cards sessions={shown} showsHost={showsHost} />}
        </Section>
        <Section title={text.board.finished} sessions={unread} most={MOST_CARDS}>
          {(shown) => <Cards sessions={shown} showsHost={showsHost} />}
        </Section>
        <Section title={text.board.earlier} sessions={done} most={MOST_DONE}>
          {(shown) => <Cards sessions={shown} showsHost={showsHost} />}
        </Section>
      </div>
    </div>
  );
}

function Heading({ groups }: { readonly groups: ReturnType<typeof overviewGroups> }) {
  const { asks, running, unread } = groups;
  return (
    <header className="flex items-start gap-3">
      <div className="min-w-0 flex-1">
        <h1 className="text-xl font-semibold">{text.board.overview}</h1>
        <p className="text-sm text-muted">
          {text.board.overviewCounts(asks.length, running.length, unread.length)}
        </p>
      </div>
      <ManageHosts />
    </header>
  );
}

/** A group below its heading. Nothing without sessions. */
function Section({
  title,
  sessions,
  most,
  isUrgent = false,
  children,
}: {
  readonly title: string;
  readonly sessions: readonly BoardSession[];
  readonly most: number;
  readonly isUrgent?: boolean;
  readonly children: (shown: readonly BoardSession[]) => ReactNode;
}) {
  const id = useId();
  if (sessions.length === 0) return undefined;
  const hiddenCount = sessions.length - most;
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3">
      <h2 id={id} className={isUrgent ? 'text-sm font-medium text-warn' : 'text-sm font-medium text-muted'}>
        {title}
      </h2>
      {children(sessions.slice(0, most))}
      {hiddenCount > 0 && <p className="text-xs text-muted">{text.board.moreInList(hiddenCount)}</p>}
    </section>
  );
}

function Cards({
  sessions,
  showsHost,
}: {
  readonly sessions: readonly BoardSession[];
  readonly showsHost: boolean;
}) {
  return (
    <ul className="grid gap-3 lg:grid-cols-2">
      {sessions.map((session) => (
        <li key={session.key} className="flex min-w-0">
          <SessionCard session={session} showsHost={showsHost} />
        </li>
      ))}
    </ul>
  );
}
