import type { Mirror } from '@agenthost/client';
import type { ChannelKind } from '@agenthost/protocol';
import { useCallback, useSyncExternalStore } from 'react';

/** Whether a channel is gone: deleted by another client, or no longer permitted. */
export function useIsLost<K extends ChannelKind>(mirror: Mirror<K>): boolean {
  const subscribe = useCallback((listener: () => void) => mirror.onChange(listener), [mirror]);
  return useSyncExternalStore(subscribe, () => mirror.isLost);
}
