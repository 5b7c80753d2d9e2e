import { type RefObject, useRef } from 'react';
import { useAction } from '../palette/actions.ts';
import { text } from '../text/text.ts';
import type { BoardListHandle } from './board-list.tsx';
import { switchGrouping } from './board-settings.ts';

interface BoardKeys {
  readonly list: RefObject<BoardListHandle | null>;
  readonly search: RefObject<HTMLInputElement | null>;
  /** Moves the focus into the list. */
  readonly enter: () => void;
}

/** Offers the keys of a list of sessions: search, grouping, and `j` and the down arrow, which enter the list unless `hasEnterKeys` is false. */
export function useBoardKeys({ hasEnterKeys = true }: { readonly hasEnterKeys?: boolean } = {}): BoardKeys {
  const list = useRef<BoardListHandle>(null);
  const search = useRef<HTMLInputElement>(null);
  const enter = (): void => list.current?.focus();
  const enterKey = (id: string, keys: string) =>
    hasEnterKeys ? { id, label: text.board.keyMove, keys, isKeyOnly: true, run: enter } : undefined;
  useAction({
    id: 'board.search',
    label: text.palette.search,
    keys: '/',
    run: () => search.current?.focus(),
  });
  useAction({ id: 'board.grouping', label: text.palette.switchGrouping, keys: 'g', run: switchGrouping });
  useAction(enterKey('board.down', 'j'));
  useAction(enterKey('board.arrow', 'ArrowDown'));
  return { list, search, enter };
}
