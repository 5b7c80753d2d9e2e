import type { URI } from '@agenthost/protocol';
import { useEffect, useSyncExternalStore } from 'react';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { useLinkStatus } from '../../live/use-hosts.ts';
import { text } from '../../text/text.ts';
import { showError } from '../../ui/toasts.tsx';
import { type PushSnapshot, pushStore } from './push-store.ts';

/** The devices of a host that get notifications; asked for when the component is mounted, and after each reconnect. */
export function usePush(link: HostLink): PushSnapshot {
  const store = pushStore(link);
  const status = useLinkStatus(link);
  const isOnline = status.state === 'online';
  useEffect(() => {
    if (isOnline) void store.check();
  }, [store, isOnline]);
  return useSyncExternalStore(store.onChange, () => store.snapshot);
}

/** Whether a session sends this browser notifications. */
export interface Mute {
  /** False: notifications are off in this browser, so there is nothing to mute. */
  readonly isPossible: boolean;
  readonly isMuted: boolean;
  readonly toggle: () => void;
}

/** Whether the notifications of a session are muted in this browser, as known now. */
export function muteOf(link: HostLink, session: URI): Mute {
  const store = pushStore(link);
  const { own } = store.snapshot;
  const muted = own?.mutedSessions ?? [];
  const isMuted = muted.includes(session);
  return {
    isPossible: own !== undefined,
    isMuted,
    toggle: () => {
      if (own === undefined) return;
      const mutedSessions = isMuted ? muted.filter((each) => each !== session) : [...muted, session];
      store
        .update(own.id, { mutedSessions })
        .catch((error: unknown) => showError(text.attention.muteFailed(messageOf(error))));
    },
  };
}

/** Whether the notifications of a session are muted in this browser; renders again when it changes. */
export function useMute(link: HostLink, session: URI): Mute {
  const store = pushStore(link);
  useSyncExternalStore(store.onChange, () => store.snapshot);
  return muteOf(link, session);
}
