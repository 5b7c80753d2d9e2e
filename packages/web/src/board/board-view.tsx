import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { OWN_HOST } from '../live/hosts.ts';
import { useLink } from '../live/use-hosts.ts';
import { useMayAct } from '../live/use-scope.ts';
import { text } from '../text/text.ts';
import { BoardContent } from './board-content.tsx';
import { FilterMenu } from './filter-menu.tsx';
import { ManageHosts } from './hosts/manage-hosts.tsx';
import { SearchField } from './search/search-field.tsx';
import { useBoard } from './use-board.ts';
import { useBoardKeys } from './use-board-keys.ts';

/** All sessions of all hosts, by what they need or by project. */
export function BoardView() {
  const board = useBoard();
  const mayAct = useMayAct(useLink(OWN_HOST));
  const { list, search, enter } = useBoardKeys();
  return (
    <div className="mx-auto flex min-h-0 w-full max-w-5xl flex-1 flex-col">
      <header className="flex items-center gap-1.5 px-3 pt-3 pb-1 sm:px-5">
        <h1 className="sr-only">{text.board.title}</h1>
        <SearchField input={search} value={board.query} onChange={board.setQuery} onLeave={enter} />
        <FilterMenu sessions={board.all.sessions} filter={board.filter} setFilter={board.setFilter} />
        <ManageHosts />
        {mayAct && (
          <Link
            to="/new"
            aria-label={text.board.newSession}
            className="inline-flex h-9 shrink-0 items-center gap-1.5 rounded-lg bg-accent px-3 text-sm font-medium text-on-accent hover:opacity-90 touch:h-11 touch:min-w-11 touch:justify-center"
          >
            <Plus className="size-4" aria-hidden />
            <span className="hidden sm:inline">{text.board.newSession}</span>
          </Link>
        )}
      </header>
      <BoardContent board={board} label={text.board.listLabel} isCompact={false} handle={list} />
    </div>
  );
}
