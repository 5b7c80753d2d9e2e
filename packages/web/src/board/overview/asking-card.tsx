import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { SafeText } from '../../ui/safe-text.tsx';
import { AskCard } from '../ask-card.tsx';
import { type BoardSession, hostParam } from '../board-session.ts';
import { titleOf } from '../session-actions.ts';
import { StatusIcon } from '../status-icon.tsx';
import { SessionFacts } from './session-facts.tsx';

const OpenAsk = lazy(async () => ({ default: (await import('./open-ask.tsx')).OpenAsk }));

/** A session that waits for an answer, with its first question: in full, or in short. */
export function AskingCard({
  session,
  showsHost,
  isInFull,
}: {
  readonly session: BoardSession;
  readonly showsHost: boolean;
  readonly isInFull: boolean;
}) {
  const { link, summary } = session;
  const short = <AskCard session={session} className="" />;
  return (
    <article aria-label={titleOf(session)} className="flex flex-col gap-2">
      <div className="flex items-center gap-3">
        <Link
          to="/s/$session"
          params={{ session: summary.resource }}
          search={{ host: hostParam(link) }}
          className="flex min-w-0 flex-1 items-center gap-2.5 rounded-md text-sm font-medium hover:underline"
        >
          <StatusIcon sign="asks" />
          <span className="min-w-0 truncate" title={titleOf(session)}>
            <SafeText>{titleOf(session)}</SafeText>
          </span>
        </Link>
        <SessionFacts session={session} showsHost={showsHost} />
      </div>
      {isInFull ? (
        <Suspense fallback={short}>
          <OpenAsk session={session} fallback={short} />
        </Suspense>
      ) : (
        short
      )}
    </article>
  );
}
