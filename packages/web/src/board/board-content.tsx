import type { Ref } from 'react';
import { useLinks } from '../live/use-hosts.ts';
import { text } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Spinner } from '../ui/states.tsx';
import { useReloadSessions } from './all-sessions.ts';
import { BoardEmpty } from './board-empty.tsx';
import { BoardList, type BoardListHandle } from './board-list.tsx';
import { HostHits } from './search/host-hits.tsx';
import { type Board, filterCount } from './use-board.ts';

/** The sessions of a board and the search hits of its hosts, or the reason why the list is empty. */
export function BoardContent({
  board,
  label,
  isCompact,
  handle,
}: {
  readonly board: Board;
  readonly label: string;
  readonly isCompact: boolean;
  readonly handle: Ref<BoardListHandle>;
}) {
  const links = useLinks();
  const reload = useReloadSessions();
  const { all, rows, query } = board;
  const isSearching = query.trim() !== '';
  const isFiltering = isSearching || filterCount(board.filter) > 0;
  return (
    <>
      {all.problems.map(({ link, reason }) => (
        <p
          key={link.address.id}
          role="alert"
          className="flex items-center gap-2 px-4 py-2 text-sm text-danger"
        >
          <span className="min-w-0 flex-1 break-words">
            {text.board.listFailed(link.address.name, reason)}
          </span>
          <Button size="small" onClick={() => reload(link)}>
            {text.ui.tryAgain}
          </Button>
        </p>
      ))}
      {rows.length > 0 && (
        <BoardList
          handle={handle}
          rows={rows}
          label={label}
          isCompact={isCompact}
          showsHost={links.length > 1}
          className={isSearching ? 'min-h-0 flex-1 pb-2' : 'min-h-0 flex-1 pb-4'}
        />
      )}
      {rows.length === 0 && (!all.isComplete || isFiltering) && (
        <div className="flex items-center justify-center gap-3 px-4 py-6 text-sm text-muted">
          {all.isComplete ? isSearching ? text.board.noTitleFound : text.board.nothingFound : <Spinner />}
        </div>
      )}
      {rows.length === 0 && all.isComplete && !isFiltering && (
        <BoardEmpty isCompact={isCompact} hasArchived={all.sessions.length > 0} />
      )}
      {isSearching && (
        <div
          className={
            rows.length === 0 ? 'min-h-0 flex-1 overflow-y-auto' : 'max-h-1/2 shrink-0 overflow-y-auto'
          }
          tabIndex={-1}
        >
          {links.map((link) => (
            <HostHits key={link.address.id} link={link} query={query} isOnlyHost={links.length === 1} />
          ))}
        </div>
      )}
    </>
  );
}
