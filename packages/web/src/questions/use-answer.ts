import type { DispatchableAction } from '@agenthost/client';
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
      const reason = outcome.outcome === 'ignored' ? text.questions.chatGone : visibleText(outcome.reason);
      showToast({ message: text.questions.notTaken(reason), kind: 'error' });
      return false;
    },
    [target],
  );
  return { isSending, send };
}
