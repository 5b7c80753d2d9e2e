import { Link, useRouterState } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { OWN_HOST } from '../live/hosts.ts';
import { useLink } from '../live/use-hosts.ts';
import { useMayAct } from '../live/use-scope.ts';
import { text } from '../text/text.ts';
import { BoardContent } from './board-content.tsx';
import { FilterMenu } from './filter-menu.tsx';
import { SearchField } from './search/search-field.tsx';
import { useBoard } from './use-board.ts';
import { useBoardKeys } from './use-board-keys.ts';

/** The list of sessions in the sidebar. */
export function SidebarBoard() {
  const board = useBoard();
  const mayAct = useMayAct(useLink(OWN_HOST));
  const isHome = useRouterState({ select: ({ location }) => location.pathname === '/' });
  const { list, search, enter } = useBoardKeys({ hasEnterKeys: isHome });
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {mayAct && (
        <div className="px-3 pt-2">
          <Link
            to="/new"
            className="flex h-9 items-center gap-2 rounded-lg border border-line-strong bg-raised px-3 text-sm font-medium hover:bg-hover touch:h-11"
          >
            <Plus className="size-4" aria-hidden />
            {text.board.newSession}
          </Link>
        </div>
      )}
      <div className="flex items-center gap-1 px-3 py-2">
        <SearchField isCompact input={search} value={board.query} onChange={board.setQuery} onLeave={enter} />
        <FilterMenu sessions={board.all.sessions} filter={board.filter} setFilter={board.setFilter} />
      </div>
      <BoardContent board={board} label={text.board.sidebarLabel} isCompact handle={list} />
    </div>
  );
}
