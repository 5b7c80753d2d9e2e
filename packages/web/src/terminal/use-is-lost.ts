import type { TerminalHandle } from '@agenthost/client';
import { useSyncExternalStore } from 'react';

/** Whether a terminal was removed from its host. */
export function useIsLost({ mirror }: TerminalHandle): boolean {
  return useSyncExternalStore(
    (listener) => mirror.onChange(listener),
    () => mirror.isLost,
  );
}
