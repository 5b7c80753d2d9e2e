import type { ChatHandle, ChatMatch } from '@agenthost/client';
import { useEffect, useState } from 'react';
import { messageOf } from '../../live/host-link.ts';
import { text } from '../../text/text.ts';
import { showError } from '../../ui/toasts.tsx';

/** Time without typing after which the host is asked for older turns. Milliseconds. */
const PAUSE_MS = 250;

/** Shortest time between two renders of new matches. Milliseconds. */
const RENDER_MS = 200;

const NONE: readonly ChatMatch[] = [];

/** Searches the whole chat without loading its turns into the mirror. Matches are listed as they are found, those of the newest turn first. */
export function useOlderMatches(
  chat: ChatHandle,
  query: string,
): { readonly matches: readonly ChatMatch[]; readonly isSearching: boolean } {
  const [matches, setMatches] = useState(NONE);
  const [isSearching, setSearching] = useState(false);
  useEffect(() => {
    setMatches(NONE);
    if (query === '' || chat.mirror.state.turnsNextCursor === undefined) return undefined;
    const stopped = new AbortController();
    setSearching(true);
    const search = async (): Promise<void> => {
      const found: ChatMatch[] = [];
      let renderedAt = 0;
      try {
        for await (const match of chat.find(query, { signal: stopped.signal })) {
          found.push(match);
          if (performance.now() - renderedAt < RENDER_MS) continue;
          renderedAt = performance.now();
          setMatches([...found]);
        }
      } catch (error) {
        if (!stopped.signal.aborted) showError(`${text.chat.olderFailed} ${messageOf(error)}`);
      }
      if (stopped.signal.aborted) return;
      setMatches(found);
      setSearching(false);
    };
    const timer = setTimeout(() => void search(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stopped.abort();
      setSearching(false);
    };
  }, [chat, query]);
  return { matches, isSearching };
}
