import type { SearchSessionsResult, SessionSearchHit } from '@agenthost/protocol';
import { ROOT_URI } from '@agenthost/protocol';
import { useCallback, useEffect, useState } from 'react';
import { type HostLink, messageOf } from '../../live/host-link.ts';
import { useLinkStatus } from '../../live/use-hosts.ts';

/** How long typing must pause before the host is asked. Milliseconds. */
const PAUSE_MS = 180;

/** Shorter queries would match nearly everything. */
const MIN_LENGTH = 2;

const PAGE = 20;

/** A search of messages and answers on one host. */
export type HostSearch =
  | { readonly state: 'idle' }
  | { readonly state: 'searching'; readonly hits: readonly SessionSearchHit[] }
  | {
      readonly state: 'found';
      readonly hits: readonly SessionSearchHit[];
      /** False while the host still indexes older sessions. */
      readonly isComplete: boolean;
      /** Absent: all hits are there. */
      readonly nextCursor?: string | undefined;
    }
  | { readonly state: 'failed'; readonly reason: string };

const IDLE: HostSearch = { state: 'idle' };

/** Searches messages and answers of a host while the query changes. A new query aborts the previous search. */
export function useHostSearch(
  link: HostLink,
  query: string,
): { readonly search: HostSearch; readonly loadMore: () => void } {
  const wanted = query.trim();
  const isOnline = useLinkStatus(link).state === 'online';
  const [search, setSearch] = useState<HostSearch>(IDLE);
  const { client } = link;
  const isWanted = wanted.length >= MIN_LENGTH && isOnline && client !== undefined;

  useEffect(() => {
    if (!isWanted) {
      setSearch(IDLE);
      return undefined;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      setSearch((before) => ({ state: 'searching', hits: hitsOf(before) }));
      client.request('x-searchSessions', paramsOf(wanted), { signal: abort.signal }).then(
        (result) => {
          if (!abort.signal.aborted) setSearch(foundOf([], result));
        },
        (error: unknown) => {
          if (!abort.signal.aborted) setSearch({ state: 'failed', reason: messageOf(error) });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [client, wanted, isWanted]);

  const loadMore = useCallback(() => {
    if (search.state !== 'found' || search.nextCursor === undefined || client === undefined) return;
    const { hits } = search;
    setSearch({ state: 'searching', hits });
    const show = (next: HostSearch): void =>
      // Another query may have been typed meanwhile.
      setSearch((present) => (present.state === 'searching' && present.hits === hits ? next : present));
    client.request('x-searchSessions', { ...paramsOf(wanted), cursor: search.nextCursor }).then(
      (result) => show(foundOf(hits, result)),
      (error: unknown) => show({ state: 'failed', reason: messageOf(error) }),
    );
  }, [client, search, wanted]);

  return { search, loadMore };
}

const paramsOf = (query: string) => ({ channel: ROOT_URI, query, limit: PAGE }) as const;

/** The hits that a search shows. */
export const hitsOf = (search: HostSearch): readonly SessionSearchHit[] =>
  search.state === 'found' || search.state === 'searching' ? search.hits : [];

const foundOf = (
  before: readonly SessionSearchHit[],
  { items, isComplete, nextCursor }: SearchSessionsResult,
): HostSearch => ({
  state: 'found',
  // Titles are found by the filter of the list.
  hits: [...before, ...items.filter(({ field }) => field !== 'title')],
  isComplete,
  nextCursor,
});
