import type { ChatHandle } from '@agenthost/client';
import { useEffect } from 'react';
import { messageOf } from '../../live/host-link.ts';
import { text } from '../../text/text.ts';
import { showError } from '../../ui/toasts.tsx';

/** Loads older turns until a turn is loaded; `undefined` loads nothing. */
export function useLoadTurn(chat: ChatHandle, turnId: string | undefined): void {
  useEffect(() => {
    if (turnId === undefined) return undefined;
    const stopped = new AbortController();
    const isStopped = (): boolean => stopped.signal.aborted;
    const { mirror } = chat;
    const load = async (): Promise<void> => {
      try {
        while (!isStopped() && !mirror.state.turns.some(({ id }) => id === turnId))
          if (!(await mirror.fetchOlderTurns())) return;
      } catch (error) {
        if (!isStopped()) showError(`${text.chat.olderFailed} ${messageOf(error)}`);
      }
    };
    void load();
    return () => stopped.abort();
  }, [chat, turnId]);
}
