import type { ChatHandle } from '@agenthost/client';
import { useEffect, useState } from 'react';
import { messageOf } from '../../live/host-link.ts';
import { text } from '../../text/text.ts';
import { showError } from '../../ui/toasts.tsx';

/** Loads all older turns, page by page, while `isWanted`. Returns whether more are being loaded. */
export function useLoadAllTurns(chat: ChatHandle, isWanted: boolean): boolean {
  const [isLoading, setLoading] = useState(false);
  useEffect(() => {
    if (!isWanted || chat.mirror.state.turnsNextCursor === undefined) return undefined;
    const stopped = new AbortController();
    const isStopped = (): boolean => stopped.signal.aborted;
    const load = async (): Promise<void> => {
      setLoading(true);
      try {
        while (!isStopped() && (await chat.mirror.fetchOlderTurns())) {
          // Lets the page render between two pages of turns.
          await new Promise((resolve) => setTimeout(resolve, 16));
        }
      } catch (error) {
        if (!isStopped()) showError(`${text.chat.olderFailed} ${messageOf(error)}`);
      }
      if (!isStopped()) setLoading(false);
    };
    void load();
    return () => {
      stopped.abort();
      setLoading(false);
    };
  }, [chat, isWanted]);
  return isLoading;
}
