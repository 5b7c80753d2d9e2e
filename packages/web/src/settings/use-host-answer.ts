import type { AhpClient } from '@agenthost/client';
import { useCallback, useEffect, useState } from 'react';
import { type HostLink, messageOf } from '../live/host-link.ts';
import { useLinkStatus } from '../live/use-hosts.ts';

/** A host's answer to a question that has no live state. */
export interface HostAnswer<T> {
  /** The last answer; it stays while a newer one is on its way. */
  readonly value: T | undefined;
  /** Why the last attempt failed; `undefined` after one that succeeded. */
  readonly problem: string | undefined;
  readonly isAsking: boolean;
  /** Asks again. Resolves when the answer is there. */
  readonly reload: () => Promise<void>;
}

/**
 * Asks a host while the component is mounted, and again after each reconnect. `ask` must be the same function at each render: define it outside of
 * the component, or with `useCallback`.
 */
export function useHostAnswer<T>(link: HostLink, ask: (client: AhpClient) => Promise<T>): HostAnswer<T> {
  const status = useLinkStatus(link);
  const { client } = link;
  const [value, setValue] = useState<T>();
  const [problem, setProblem] = useState<string>();
  const [isAsking, setAsking] = useState(true);
  const load = useCallback(
    async (isGone: () => boolean) => {
      if (client === undefined) return;
      setAsking(true);
      try {
        const answer = await ask(client);
        if (isGone()) return;
        setValue(() => answer);
        setProblem(undefined);
      } catch (error) {
        if (isGone()) return;
        setProblem(messageOf(error));
      }
      setAsking(false);
    },
    [client, ask],
  );
  const isOnline = status.state === 'online';
  useEffect(() => {
    let isGone = false;
    if (isOnline) void load(() => isGone);
    return () => {
      isGone = true;
    };
  }, [isOnline, load]);
  const reload = useCallback(() => load(() => false), [load]);
  return { value, problem, isAsking: isAsking && isOnline, reload };
}
