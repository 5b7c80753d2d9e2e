import { Link } from '@tanstack/react-router';
import { Plus, Server } from 'lucide-react';
import { useRef, useState } from 'react';
import { OWN_HOST } from '../live/hosts.ts';
import { useLink } from '../live/use-hosts.ts';
import { useMayAct } from '../live/use-scope.ts';
import { useAction } from '../palette/actions.ts';
import { text } from '../text/text.ts';
import { IconButton } from '../ui/button.tsx';
import { BoardContent } from './board-content.tsx';
import type { BoardListHandle } from './board-list.tsx';
import { switchGrouping } from './board-settings.ts';
import { FilterMenu } from './filter-menu.tsx';
import { HostsDialog } from './hosts/hosts-dialog.tsx';
import { SearchField } from './search/search-field.tsx';
import { useBoard } from './use-board.ts';
import { useEnterKeys } from './use-enter-keys.ts';

/** All sessions of all hosts, by what they need or by project. */
export function BoardView() {
  const board = useBoard();
  const mayAct = useMayAct(useLink(OWN_HOST));
  const list = useRef<BoardListHandle>(null);
  const search = useRef<HTMLInputElement>(null);
  const [isHostsOpen, setHostsOpen] = useState(false);
  useAction({
    id: 'board.search',
    label: text.palette.search,
    keys: '/',
    run: () => search.current?.focus(),
  });
  useAction({ id: 'board.grouping', label: text.palette.switchGrouping, keys: 'g', run: switchGrouping });
  const enter = (): void => list.current?.focus();
  useEnterKeys(enter);
  return (
    <div className="mx-auto flex min-h-0 w-full max-w-5xl flex-1 flex-col">
      <header className="flex items-center gap-1.5 px-3 pt-3 pb-1 sm:px-5">
        <h1 className="sr-only">{text.board.title}</h1>
        <SearchField input={search} value={board.query} onChange={board.setQuery} onLeave={enter} />
        <FilterMenu sessions={board.all.sessions} filter={board.filter} setFilter={board.setFilter} />
        <IconButton label={text.board.manageHosts} onClick={() => setHostsOpen(true)}>
          <Server className="size-4" aria-hidden />
        </IconButton>
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
      <HostsDialog isOpen={isHostsOpen} onClose={() => setHostsOpen(false)} />
    </div>
  );
}
