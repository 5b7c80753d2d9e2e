import type { ChatHandle } from '@agenthost/client';
import { useCallback, useRef, useState } from 'react';
import { messageOf } from '../../live/host-link.ts';
import { text } from '../../text/text.ts';
import { showError } from '../../ui/toasts.tsx';

/** After a failure, older turns are not asked for again this long. Milliseconds. */
const PAUSE_MS = 5_000;

/** Loads older turns, one page at a time. */
export function useOlderTurns(chat: ChatHandle): {
  readonly state: 'idle' | 'loading';
  readonly load: () => void;
} {
  const [isLoading, setLoading] = useState(false);
  const isBusy = useRef(false);
  const failedAt = useRef(Number.NEGATIVE_INFINITY);
  const load = useCallback(() => {
    const { mirror } = chat;
    if (isBusy.current || mirror.state.turnsNextCursor === undefined) return;
    if (performance.now() - failedAt.current < PAUSE_MS) return;
    isBusy.current = true;
    setLoading(true);
    mirror
      .fetchOlderTurns()
      .catch((error: unknown) => {
        failedAt.current = performance.now();
        showError(`${text.chat.olderFailed} ${messageOf(error)}`);
      })
      .finally(() => {
        isBusy.current = false;
        setLoading(false);
      });
  }, [chat]);
  return { state: isLoading ? 'loading' : 'idle', load };
}
