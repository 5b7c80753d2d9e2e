import { type ResolveSessionConfigResult, ROOT_URI } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { useCallback, useEffect, useState } from 'react';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { useLinkStatus } from '../../live/use-hosts.ts';
import type { Completions } from '../../ui/schema-form/form-context.ts';

/** How long choices must rest before the agent is asked for its options again. Milliseconds. */
const PAUSE_MS = 250;

/** The options of a session that is about to be created. */
export interface SessionConfig {
  /** The last answer; `undefined` until the first one. */
  readonly resolved: ResolveSessionConfigResult | undefined;
  /** Why the last request failed. */
  readonly problem: string | undefined;
  readonly isLoading: boolean;
  readonly completions: Completions;
}

/** Asks the host which options a session has under the present choices, again after each change. `folder`: URI; absent: the host's default. */
export function useSessionConfig(
  link: HostLink,
  provider: string | undefined,
  folder: string | undefined,
  chosen: Readonly<Record<string, unknown>>,
): SessionConfig {
  const isOnline = useLinkStatus(link).state === 'online';
  const { client } = link;
  const [answer, setAnswer] = useState<{
    readonly provider: string | undefined;
    readonly link: HostLink;
    readonly resolved?: ResolveSessionConfigResult;
    readonly problem?: string;
  }>();
  const [isLoading, setLoading] = useState(true);

  useEffect(() => {
    if (client === undefined || !isOnline) return undefined;
    const abort = new AbortController();
    setLoading(true);
    const timer = setTimeout(() => {
      const params = {
        channel: ROOT_URI,
        config: { ...chosen },
        ...defined({ provider, workingDirectory: folder }),
      } as const;
      client.request('resolveSessionConfig', params, { signal: abort.signal }).then(
        (resolved) => {
          if (abort.signal.aborted) return;
          setLoading(false);
          setAnswer({ provider, link, resolved });
        },
        (error: unknown) => {
          if (abort.signal.aborted) return;
          setLoading(false);
          setAnswer((before) => ({ ...before, provider, link, problem: messageOf(error) }));
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [client, isOnline, link, provider, folder, chosen]);

  const completions = useCallback<Completions>(
    async (property, query, signal) => {
      if (client === undefined) return [];
      const params = {
        channel: ROOT_URI,
        property,
        query,
        config: { ...chosen },
        ...defined({ provider, workingDirectory: folder }),
      } as const;
      return (await client.request('sessionConfigCompletions', params, { signal })).items;
    },
    [client, provider, folder, chosen],
  );

  // An answer about another agent or host has other options.
  const isOfThese = answer?.provider === provider && answer?.link === link;
  return {
    resolved: isOfThese ? answer.resolved : undefined,
    problem: isOfThese ? answer.problem : undefined,
    isLoading,
    completions,
  };
}
