import type { Mirror } from '@agenthost/client';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOpened, useSelected } from '../../live/use-live.ts';
import { useMayActIn } from '../../live/use-scope.ts';
import { InlineQuestion } from '../../questions/inline-question.tsx';
import { answerable } from '../../questions/waiting-questions.ts';
import { text } from '../../text/text.ts';
import { type BoardSession, hostParam } from '../board-session.ts';

/** The first question of a session with all its answers. `fallback` is shown until the session is open. */
export function OpenAsk({
  session,
  fallback,
}: {
  readonly session: BoardSession;
  readonly fallback: ReactNode;
}) {
  const { link, summary } = session;
  const opened = useOpened(link, `session state ${summary.resource}`, ({ client }) => ({
    open: () =>
      client?.subscribe(summary.resource, { kind: 'session' }) ?? Promise.reject(new Error('not connected')),
    close: (mirror: Mirror<'session'>) => mirror.dispose(),
  }));
  if (opened.state !== 'open') return fallback;
  return <Asked session={session} mirror={opened.value} fallback={fallback} />;
}

function Asked({
  session,
  mirror,
  fallback,
}: {
  readonly session: BoardSession;
  readonly mirror: Mirror<'session'>;
  readonly fallback: ReactNode;
}) {
  const { link, summary } = session;
  const mayAct = useMayActIn(link, summary.resource);
  const entries = useSelected(mirror, ({ inputNeeded }) => inputNeeded);
  const waiting = answerable(entries ?? []);
  const [first] = waiting;
  if (first === undefined) return fallback;
  return (
    <>
      <InlineQuestion link={link} entry={first} mayAct={mayAct} />
      {waiting.length > 1 && (
        <Link
          to="/s/$session"
          params={{ session: summary.resource }}
          search={{ host: hostParam(link) }}
          className="self-start rounded-md text-xs text-muted hover:text-text hover:underline"
        >
          {text.board.moreAsksOpen(waiting.length - 1)}
        </Link>
      )}
    </>
  );
}
