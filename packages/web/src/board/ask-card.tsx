import type { ClientAction, SessionAsk } from '@agenthost/protocol';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMayActIn } from '../live/use-scope.ts';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/class-names.ts';
import { SafeText } from '../ui/safe-text.tsx';
import { type BoardSession, hostParam } from './board-session.ts';
import { reportOutcome } from './session-actions.ts';

const LINK =
  'inline-flex h-8 items-center rounded-lg border border-line-strong bg-raised px-2.5 text-sm font-medium hover:bg-hover touch:h-10';

/** The question of a session, with the answers that need one click only. */
export function AskCard({
  session,
  className = 'mx-2.5 ms-9 mb-2.5',
}: {
  readonly session: BoardSession;
  /** Classes of the frame, such as its margins. */
  readonly className?: string;
}) {
  const mayAct = useMayActIn(session.link, session.summary.resource);
  const asks = session.summary['x-asks'];
  const ask = asks?.first;
  const more = (asks?.count ?? 0) - 1;
  return (
    <div
      className={classes(
        'flex flex-col gap-2 rounded-lg border border-line bg-sunken px-3 py-2 text-sm',
        className,
      )}
    >
      <p className="min-w-0 break-words">
        <span className="text-warn">{ask === undefined ? '' : `${KINDS[ask.kind]()} `}</span>
        <SafeText>{ask?.title ?? text.board.unknownAsk}</SafeText>
        {more > 0 && <span className="text-muted"> {text.board.moreAsks(more)}</span>}
      </p>
      <div className="flex flex-wrap gap-2">
        {mayAct && ask !== undefined && <QuickAnswers key={ask.id} session={session} ask={ask} />}
        <OpenAsk session={session} ask={ask} mayAct={mayAct} />
      </div>
    </div>
  );
}

const KINDS: Readonly<Record<SessionAsk['kind'], () => string>> = {
  toolConfirmation: () => text.board.asksApproval,
  chatInput: () => text.board.asksQuestion,
  toolAuthentication: () => text.board.asksSignIn,
};

function OpenAsk({
  session,
  ask,
  mayAct,
}: {
  readonly session: BoardSession;
  readonly ask: SessionAsk | undefined;
  readonly mayAct: boolean;
}) {
  const label = ask?.kind === 'toolConfirmation' ? text.board.review : text.board.answer;
  const { link, summary } = session;
  return (
    <Link
      to="/s/$session"
      params={{ session: summary.resource }}
      search={{ host: hostParam(link), chat: ask?.chat, ask: ask?.id }}
      className={LINK}
    >
      {mayAct ? label : text.board.open}
    </Link>
  );
}

/** Allow and deny, for an approval that needs no look at its options. */
function QuickAnswers({ session, ask }: { readonly session: BoardSession; readonly ask: SessionAsk }) {
  const [isSent, setSent] = useState(false);
  const send = (isAllowed: boolean): void => {
    const action = answerTo(ask, isAllowed);
    const dispatched = action && session.link.client?.dispatch(ask.chat, action);
    if (dispatched === undefined) return;
    setSent(true);
    void reportOutcome(dispatched).then((isTaken) => {
      if (!isTaken) setSent(false);
    });
  };
  if (answerTo(ask, true) === undefined) return undefined;
  return (
    <>
      <Button size="small" look="primary" disabled={isSent} onClick={() => send(true)}>
        {text.board.allow}
      </Button>
      <Button size="small" disabled={isSent} onClick={() => send(false)}>
        {text.board.deny}
      </Button>
    </>
  );
}

/** The action that allows or denies a tool call or its result; `undefined` for other questions. */
function answerTo(ask: SessionAsk, isAllowed: boolean): ClientAction | undefined {
  const { kind, turnId, toolCallId, isResult } = ask;
  if (kind !== 'toolConfirmation' || turnId === undefined || toolCallId === undefined) return undefined;
  if (isResult === true)
    return { type: 'chat/toolCallResultConfirmed', turnId, toolCallId, approved: isAllowed };
  return isAllowed
    ? { type: 'chat/toolCallConfirmed', turnId, toolCallId, approved: true, confirmed: 'user-action' }
    : { type: 'chat/toolCallConfirmed', turnId, toolCallId, approved: false, reason: 'denied' };
}
