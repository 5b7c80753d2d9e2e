import type { ChatHandle, Mirror, SessionHandle, TerminalHandle } from '@agenthost/client';
import type { ChannelKind, ChannelState, RootState, URI } from '@agenthost/protocol';
import { ROOT_URI } from '@agenthost/protocol';
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { beforeFrame } from './frame.ts';
import type { HostLink } from './host-link.ts';
import type { Opened, Opener } from './live-cache.ts';
import { useLinkStatus } from './use-hosts.ts';

/** Completed turns in the first page of a chat. */
const FIRST_TURNS = 20;

/** How long the host may hold appends back to merge them: about two frames. Milliseconds. */
const MAX_LATENCY_MS = 30;

/** Something shared that is being opened, and a function that tries again after a failure. */
export type Live<T> = Opened<T> & { readonly retry: () => void };

/**
 * Opens a shared value of a host while the component is mounted. `key` names type and identity of the value. Nothing is opened before the first
 * connection; a failed value is tried again when the host is online again.
 */
export function useOpened<T>(link: HostLink, key: string, opener: (link: HostLink) => Opener<T>): Live<T> {
  const status = useLinkStatus(link);
  const { client } = link;
  const entry = useMemo(
    () => (client === undefined ? undefined : link.cache.entry(key, opener(link))),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key identifies what the opener opens
    [link, key, client],
  );
  const hold = useCallback((listener: () => void) => entry?.hold(listener) ?? (() => undefined), [entry]);
  const opened = useSyncExternalStore(hold, () => entry?.opened ?? OPENING);
  const retry = useCallback(() => entry?.retry(), [entry]);
  useEffect(() => {
    if (status.state === 'online' && opened.state === 'failed') retry();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only a new connection repeats it, or a failure would repeat itself for ever
  }, [status.state, retry]);
  return useMemo(() => ({ ...opened, retry }), [opened, retry]);
}

const OPENING = { state: 'opening' } as const;

const clientOf = (link: HostLink) => {
  if (link.client === undefined) throw new Error('the host was never connected');
  return link.client;
};

/** Opens the state of the whole host, for code outside of components: the entry `root` of a link's cache. */
export const rootOpener = (link: HostLink): Opener<Mirror<'root'>> => ({
  open: () => clientOf(link).subscribe(ROOT_URI, { kind: 'root' }),
  close: (mirror) => mirror.dispose(),
});

/** The state of the whole host: agents, terminals, settings. */
export const useRoot = (link: HostLink): Live<Mirror<'root'>> => useOpened(link, 'root', rootOpener);

/** A session with its default chat. */
export const useSession = (link: HostLink, uri: URI): Live<SessionHandle> =>
  useOpened(link, `session ${uri}`, (host) => ({
    open: () => clientOf(host).sessions.open(uri, { turns: FIRST_TURNS, maxLatencyMs: MAX_LATENCY_MS }),
    close: (session) => session.dispose(),
  }));

/** A chat of an open session. */
export const useChat = (link: HostLink, session: SessionHandle, uri: URI): Live<ChatHandle> =>
  useOpened(link, `chat ${uri}`, () => ({
    open: () => session.openChat(uri, { turns: FIRST_TURNS, maxLatencyMs: MAX_LATENCY_MS }),
    close: (chat) => chat.dispose(),
  }));

/** A terminal. */
export const useTerminal = (link: HostLink, uri: URI): Live<TerminalHandle> =>
  useOpened(link, `terminal ${uri}`, (host) => ({
    open: () => clientOf(host).terminal(uri),
    close: (terminal) => terminal.close(),
  }));

/**
 * A part of a mirror's state. The component renders again when the part changed, at most once a frame. `select` must return the same object for
 * the same state: a part of the state, or a value that `isSame` compares.
 */
export function useSelected<K extends ChannelKind, T>(
  mirror: Mirror<K>,
  select: (state: ChannelState[K]) => T,
  isSame: (a: T, b: T) => boolean = Object.is,
): T {
  const last = useRef<{ readonly value: T } | undefined>(undefined);
  const read = (): T => {
    const value = select(mirror.state);
    if (last.current !== undefined && isSame(last.current.value, value)) return last.current.value;
    last.current = { value };
    return value;
  };
  const subscribe = useCallback(
    (listener: () => void) => {
      let cancel: (() => void) | undefined;
      const stop = mirror.onChange(() => {
        cancel = beforeFrame(listener);
      });
      return () => {
        cancel?.();
        stop();
      };
    },
    [mirror],
  );
  return useSyncExternalStore(subscribe, read);
}

/** A part of the host's state; `fallback` until it is there. */
export function useRootPart<T>(link: HostLink, select: (state: RootState) => T, fallback: T): T {
  const root = useRoot(link);
  const mirror = root.state === 'open' ? root.value : undefined;
  const subscribe = useCallback(
    (listener: () => void) => mirror?.onChange(listener) ?? (() => undefined),
    [mirror],
  );
  return useSyncExternalStore(subscribe, () => (mirror === undefined ? fallback : select(mirror.state)));
}
