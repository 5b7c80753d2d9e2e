import type { Line } from '../text/line.ts';

/** Turns as lines, laid out when they are looked at. */
export interface TurnSource {
  readonly count: number;
  idOf(index: number): string;
  indexOf(id: string): number;
  linesOf(index: number): readonly Line[];
}

/** What the first line of a viewport is: a line of a turn, or whatever lets the last one show. */
export type Position = 'end' | { readonly turnId: string; readonly offset: number };

/** A line on the screen, and whose it is. */
export interface ShownLine {
  readonly line: Line;
  readonly turnId: string;
}

/** The visible part of a chat. */
export interface Viewport {
  readonly lines: readonly ShownLine[];
  readonly position: Position;
  /** Nothing that is loaded is above. */
  readonly isAtTop: boolean;
}

interface Spot {
  readonly index: number;
  readonly offset: number;
}

/** The visible lines at a position. Only visible turns are laid out. */
export function look(source: TurnSource, position: Position, height: number): Viewport {
  const top = clamped(source, position, height);
  if (top === undefined) return { lines: [], position: 'end', isAtTop: true };
  const lines: ShownLine[] = [];
  for (let { index, offset } = top; index < source.count && lines.length < height; index += 1) {
    const turnId = source.idOf(index);
    for (const text of source.linesOf(index).slice(offset, offset + height - lines.length))
      lines.push({ line: text, turnId });
    offset = 0;
  }
  const isEnd = position === 'end' || isLast(source, top, height);
  return {
    lines,
    position: isEnd ? 'end' : { turnId: source.idOf(top.index), offset: top.offset },
    isAtTop: top.index === 0 && top.offset === 0,
  };
}

/** The position so many lines further down, or up for less than 0. */
export function scrolled(source: TurnSource, position: Position, lines: number, height: number): Position {
  const top = clamped(source, position, height);
  if (top === undefined) return 'end';
  const moved = lines < 0 ? up(source, top, -lines) : down(source, top, lines);
  if (lines > 0 && isLast(source, moved, height)) return 'end';
  return { turnId: source.idOf(moved.index), offset: moved.offset };
}

/** The position that shows a turn's beginning, with as little movement as can be. */
export function revealed(source: TurnSource, position: Position, turnId: string, height: number): Position {
  const shown = look(source, position, height);
  const rows = shown.lines.filter((row) => row.turnId === turnId).length;
  const index = source.indexOf(turnId);
  if (index < 0) return position;
  const total = source.linesOf(index).length;
  if (rows === Math.min(total, height)) return shown.position;
  const bottom = endSpot(source, height);
  const spot = { index, offset: 0 };
  return isBefore(bottom, spot) ? 'end' : { turnId, offset: 0 };
}

const isBefore = (one: Spot, other: Spot): boolean =>
  one.index < other.index || (one.index === other.index && one.offset < other.offset);

/** The first line when the last one stands at the bottom. */
function endSpot(source: TurnSource, height: number): Spot {
  return up(source, { index: source.count, offset: 0 }, height);
}

function clamped(source: TurnSource, position: Position, height: number): Spot | undefined {
  if (source.count === 0) return undefined;
  const end = endSpot(source, height);
  if (position === 'end') return end;
  const index = source.indexOf(position.turnId);
  // It was truncated away.
  if (index < 0) return end;
  const spot = { index, offset: Math.min(position.offset, Math.max(0, source.linesOf(index).length - 1)) };
  return isBefore(end, spot) ? end : spot;
}

const isLast = (source: TurnSource, top: Spot, height: number): boolean =>
  !isBefore(top, endSpot(source, height));

function up(source: TurnSource, from: Spot, lines: number): Spot {
  let { index, offset } = from;
  let left = lines;
  while (left > offset && index > 0) {
    left -= offset;
    index -= 1;
    offset = source.linesOf(index).length;
  }
  return { index, offset: Math.max(0, offset - left) };
}

function down(source: TurnSource, from: Spot, lines: number): Spot {
  let { index, offset } = from;
  offset += lines;
  while (index < source.count - 1 && offset >= source.linesOf(index).length) {
    offset -= source.linesOf(index).length;
    index += 1;
  }
  return { index, offset };
}
