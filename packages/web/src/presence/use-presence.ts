import type { PresentClient, URI } from '@agenthost/protocol';
import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import type { HostLink } from '../live/host-link.ts';
import { useLinkStatus } from '../live/use-hosts.ts';
import { type PresentPart, presenceHub } from './presence-hub.ts';

const NOBODY: readonly PresentClient[] = [];

/** All clients that are connected to a host, this page included; empty until something of the host is shown. */
export function usePresence(link: HostLink): readonly PresentClient[] {
  useLinkStatus(link);
  const presence = link.client?.presence;
  const subscribe = useCallback(
    (listener: () => void) => presence?.onChange(listener) ?? (() => undefined),
    [presence],
  );
  return useSyncExternalStore(subscribe, () => presence?.clients ?? NOBODY);
}

/** The other clients that show one of these channels. */
export function useOthersAt(link: HostLink, uris: readonly URI[]): readonly PresentClient[] {
  const clients = usePresence(link);
  const own = link.client?.clientId;
  return clients.filter(
    ({ clientId, showing }) => clientId !== own && showing.some((uri) => uris.includes(uri)),
  );
}

/** Tells other clients which channels this part of the page shows and where its person writes, while the component is mounted. */
export function usePresentHere(link: HostLink, { showing, typing }: PresentPart): void {
  const key = useRef({});
  const json = JSON.stringify({ showing, typing });
  useEffect(() => {
    presenceHub(link).set(key.current, { showing, typing });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the JSON stands for both values
  }, [link, json]);
  useEffect(() => {
    const own = key.current;
    return () => presenceHub(link).delete(own);
  }, [link]);
}
