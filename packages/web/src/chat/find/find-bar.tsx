import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useSelected } from '../../live/use-live.ts';
import { text } from '../../text/text.ts';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/class-names.ts';
import { INPUT_STYLE } from '../../ui/field.tsx';
import { Spinner } from '../../ui/states.tsx';
import { useChatScope } from '../chat-scope.tsx';
import type { Row } from '../transcript/rows.ts';
import { ChatSearch } from './find-model.ts';
import { numberOfPlace, rowOfPlace } from './find-row.ts';
import { clearMarks, markMatches, revealMatch } from './highlight.ts';
import { olderTurnsOf, turnOfMatch } from './older-matches.ts';
import { useLoadTurn } from './use-load-turn.ts';
import { useOlderMatches } from './use-older-matches.ts';
import '../code/code.css';

/** Time in which the list scrolls to a row and renders it. Milliseconds. */
const SCROLL_MS = 200;

interface FindBarProps {
  readonly rows: readonly Row[];
  readonly showRow: (key: string) => void;
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly onClose: () => void;
}

/** Finds text in the chat. The host searches older turns; a turn is loaded when the person goes to a match in it. */
export function FindBar({ rows, showRow, frame, onClose }: FindBarProps) {
  const { chat } = useChatScope();
  const [query, setQuery] = useState('');
  const [fromEnd, setFromEnd] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const search = useMemo(() => new ChatSearch(query.trim()), [query]);
  const turns = useSelected(chat.mirror, (state) => state.turns);
  const active = useSelected(chat.mirror, (state) => state.activeTurn);
  const places = useMemo(
    () => search.placesIn({ turns, ...(active === undefined ? {} : { activeTurn: active }) }),
    [search, turns, active],
  );
  const { matches, isSearching } = useOlderMatches(chat, query.trim());
  const older = useMemo(() => {
    const loaded = new Set([...turns.map(({ id }) => id), active?.id]);
    return olderTurnsOf(matches, (turnId) => loaded.has(turnId));
  }, [matches, turns, active?.id]);
  const matchCount = older.reduce((sum, { count }) => sum + count, places.length);
  // Matches are counted from the end, so that turns that load in front do not change the current one.
  const current = Math.min(fromEnd, Math.max(0, matchCount - 1));
  const place = places[places.length - 1 - current];
  useLoadTurn(chat, turnOfMatch(older, current - places.length));
  const row = place === undefined ? undefined : rowOfPlace(rows, place);
  const rowKey = row?.key;

  useLayoutEffect(() => field.current?.select(), []);
  useEffect(() => setFromEnd(0), [query]);
  useEffect(() => {
    if (rowKey !== undefined) showRow(rowKey);
  }, [rowKey, showRow, place?.nth]);
  const numberInRow =
    place === undefined || row === undefined ? 0 : numberOfPlace(places, place, { row, query: query.trim() });
  useEffect(() => {
    const root = frame.current;
    if (root === null || rowKey === undefined) return undefined;
    const timer = setTimeout(() => revealMatch(root, query.trim(), rowKey, numberInRow), SCROLL_MS);
    return () => clearTimeout(timer);
  }, [frame, query, rowKey, numberInRow]);
  useEffect(() => {
    const root = frame.current;
    if (root === null) return undefined;
    let scheduled = 0;
    const mark = (): void => markMatches(root, query.trim(), { currentKey: rowKey, number: numberInRow });
    mark();
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(scheduled);
      scheduled = requestAnimationFrame(mark);
    });
    observer.observe(root, { subtree: true, childList: true, characterData: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(scheduled);
      clearMarks();
    };
  }, [frame, query, rowKey, numberInRow]);

  const move = (step: number): void => {
    if (matchCount === 0) return;
    setFromEnd((before) => (Math.min(before, matchCount - 1) - step + matchCount) % matchCount);
  };
  return (
    <div
      role="search"
      className="absolute end-3 top-2 z-20 flex max-w-[calc(100%-1.5rem)] items-center gap-1 rounded-xl border border-line-strong bg-raised p-1 shadow-xl"
    >
      <input
        ref={field}
        type="text"
        value={query}
        aria-label={text.chat.findLabel}
        placeholder={text.chat.findPlaceholder}
        className={classes(INPUT_STYLE, 'w-48 border-0 py-1')}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Escape') onClose();
          else if (event.key === 'Enter') move(event.shiftKey ? -1 : 1);
        }}
      />
      <span role="status" className="flex shrink-0 items-center gap-1.5 px-1 text-xs text-muted tabular-nums">
        {isSearching && <Spinner label={text.chat.findLoading} className="size-3.5" />}
        {query.trim() !== '' && matchCount === 0 && !isSearching && text.chat.findNone}
        {matchCount > 0 && text.chat.findCount(matchCount - current, matchCount)}
      </span>
      <IconButton size="small" label={text.chat.findPrevious} onClick={() => move(-1)}>
        <ChevronUp className="size-4" aria-hidden />
      </IconButton>
      <IconButton size="small" label={text.chat.findNext} onClick={() => move(1)}>
        <ChevronDown className="size-4" aria-hidden />
      </IconButton>
      <IconButton size="small" label={text.chat.findClose} onClick={onClose}>
        <X className="size-4" aria-hidden />
      </IconButton>
    </div>
  );
}
