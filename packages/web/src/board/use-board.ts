import { useDeferredValue, useMemo, useState } from 'react';
import { useSetting } from '../live/setting.ts';
import { type AllSessions, useAllSessions } from './all-sessions.ts';
import type { BoardSession } from './board-session.ts';
import { closedGroupsSetting, groupingSetting } from './board-settings.ts';
import { type BoardFilter, filterSessions } from './filter-sessions.ts';
import { type BoardRow, groupByNeed, groupByProject, rowsOf } from './group-sessions.ts';

/** A list of sessions with its filters. */
export interface Board {
  readonly all: AllSessions;
  /** The sessions that pass the filter. */
  readonly shown: readonly BoardSession[];
  readonly rows: readonly BoardRow[];
  readonly filter: BoardFilter;
  readonly setFilter: (filter: BoardFilter) => void;
  /** The words typed into the search field. */
  readonly query: string;
  readonly setQuery: (query: string) => void;
}

const NONE_CLOSED: ReadonlySet<string> = new Set();

/** All sessions, filtered and grouped. Typing stays quick: the list follows the query when the browser has time. */
export function useBoard(): Board {
  const all = useAllSessions();
  const [query, setQuery] = useState('');
  const [filter, setFilter] = useState<BoardFilter>({});
  const [grouping] = useSetting(groupingSetting);
  const [closed] = useSetting(closedGroupsSetting);
  const wanted = useDeferredValue(query);
  const sessions = useDeferredValue(all.sessions);
  const isSearching = wanted.trim() !== '';
  const shown = useMemo(
    () =>
      filterSessions(sessions, {
        ...filter,
        query: wanted,
        showsArchived: filter.showsArchived === true || isSearching,
      }),
    [sessions, filter, wanted, isSearching],
  );
  const rows = useMemo(() => {
    const groups = grouping === 'need' ? groupByNeed(shown) : groupByProject(shown);
    // A search shows what it found, also in closed groups.
    return rowsOf(groups, isSearching ? NONE_CLOSED : new Set(closed));
  }, [shown, grouping, closed, isSearching]);
  return { all, shown, rows, filter, setFilter, query, setQuery };
}

/** Number of filters that are set. */
export const filterCount = ({ provider, project, need, showsArchived }: BoardFilter): number =>
  [provider, project, need, showsArchived === true ? true : undefined].filter((each) => each !== undefined)
    .length;
