import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Side } from '../../comments/place-threads.ts';
import type { LineSpan, SelectableLine } from './diff-rows.ts';

/** Selected lines of one version. The last line that was pressed is the head. */
interface Selected {
  readonly side: Side;
  readonly anchor: number;
  readonly head: number;
}

/** The selection of lines in a diff or a file. */
export interface LineSelection {
  /** Absent: nothing is selected. */
  readonly span: LineSpan | undefined;
  /** The line that the keyboard moves. */
  readonly head: SelectableLine | undefined;
  readonly isSelected: (side: Side, number: number) => boolean;
  readonly press: (side: Side, number: number, isExtending: boolean) => void;
  readonly clear: () => void;
  /** Handles the keys that move the head. Returns whether it took the key. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

/** Steps of keys, in lines. */
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 };

/** Selects lines by pointer and keyboard. `linesOf` gives the lines of a version in their order; `onMove` shows a line. */
export function useLineSelection(
  linesOf: (side: Side | undefined) => readonly SelectableLine[],
  onMove: (line: SelectableLine) => void,
): LineSelection {
  const [selected, setSelected] = useState<Selected | undefined>(undefined);
  const latest = useRef({ linesOf, onMove });
  useEffect(() => {
    latest.current = { linesOf, onMove };
  });
  const press = useCallback((side: Side, number: number, isExtending: boolean): void => {
    setSelected((before) => {
      if (isExtending && before?.side === side) return { ...before, head: number };
      const isSame = before?.side === side && before.anchor === number && before.head === number;
      return isSame ? undefined : { side, anchor: number, head: number };
    });
  }, []);
  const clear = useCallback(() => setSelected(undefined), []);
  const span = useMemo<LineSpan | undefined>(() => {
    if (selected === undefined) return undefined;
    const { side, anchor, head } = selected;
    return { side, from: Math.min(anchor, head), to: Math.max(anchor, head) };
  }, [selected]);
  const isSelected = useCallback(
    (side: Side, number: number) =>
      span !== undefined && span.side === side && number >= span.from && number <= span.to,
    [span],
  );
  const onKey = (event: KeyboardEvent): boolean => {
    if (event.altKey || event.ctrlKey || event.metaKey) return false;
    if (event.key === 'Escape' && selected !== undefined) {
      clear();
      return true;
    }
    const side = { ArrowLeft: 'before', ArrowRight: 'after' }[event.key];
    const step = STEPS[event.key];
    if (step === undefined && (side === undefined || selected === undefined)) return false;
    const target =
      step === undefined
        ? nearest(latest.current.linesOf(side === 'before' ? 'before' : 'after'), selected?.head ?? 1)
        : stepped(latest.current.linesOf(event.shiftKey ? selected?.side : undefined), selected, step);
    if (target === undefined) return false;
    latest.current.onMove(target);
    setSelected((before) =>
      event.shiftKey && before !== undefined && before.side === target.side
        ? { ...before, head: target.number }
        : { side: target.side, anchor: target.number, head: target.number },
    );
    return true;
  };
  const head =
    selected === undefined
      ? undefined
      : linesOf(selected.side).find(({ side, number }) => side === selected.side && number === selected.head);
  return { span, head, isSelected, press, clear, onKey };
}

function stepped(
  lines: readonly SelectableLine[],
  selected: Selected | undefined,
  step: number,
): SelectableLine | undefined {
  if (selected === undefined) return lines[0];
  const at = lines.findIndex(({ side, number }) => side === selected.side && number === selected.head);
  if (at === -1) return nearest(lines, selected.head);
  return lines[Math.min(lines.length - 1, Math.max(0, at + step))];
}

function nearest(lines: readonly SelectableLine[], number: number): SelectableLine | undefined {
  let best = lines[0];
  for (const line of lines)
    if (best === undefined || Math.abs(line.number - number) < Math.abs(best.number - number)) best = line;
  return best;
}
