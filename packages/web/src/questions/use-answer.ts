import type { DispatchableAction, DispatchOutcome } from '@agenthost/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { text } from '../text/text.ts';
import { visibleText } from '../text/visible-text.ts';
import { showToast } from '../ui/toasts.tsx';
import type { QuestionTarget } from './question-target.ts';

/** Sends answers of one question. */
export interface Answering {
  /** An answer is on its way. */
  readonly isSending: boolean;
  /** Sends an answer. A rejection is told in a toast, because the question may be gone by then. Resolves with whether it was accepted. */
  readonly send: (action: DispatchableAction<'chat'>) => Promise<boolean>;
}

/** Reasons of the host for an answer that comes after another one [CHAT-8] [CHAT-13]. */
const LATE = ['wrongState', 'noSuchToolCall', 'noSuchTurn', 'requestClosed', 'unknownRequest'];

function problemOf(outcome: Exclude<DispatchOutcome, { outcome: 'accepted' }>): string {
  if (outcome.outcome === 'ignored') return text.questions.notTaken(text.questions.chatGone);
  if (outcome.outcome === 'rejected' && LATE.includes(outcome.code)) return text.questions.late;
  return text.questions.notTaken(visibleText(outcome.reason));
}

/** Answers to a question of a chat. One is sent at a time. */
export function useAnswer(target: QuestionTarget): Answering {
  const [isSending, setSending] = useState(false);
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  const send = useCallback(
    async (action: DispatchableAction<'chat'>): Promise<boolean> => {
      setSending(true);
      const outcome = await target.dispatch(action);
      if (isMounted.current) setSending(false);
      if (outcome.outcome === 'accepted') return true;
      showToast({ message: problemOf(outcome), kind: 'error' });
      return false;
    },
    [target],
  );
  return { isSending, send };
}
