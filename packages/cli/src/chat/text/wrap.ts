import { cellsOf } from '../../render/plain-text.ts';
import { EMPTY_LINE, type Line, type Span, span } from './line.ts';

const segmenter = new Intl.Segmenter();

/** Cells of a whole line. */
export const lineCells = (spans: Line): number => spans.reduce((sum, { text }) => sum + cellsOf(text), 0);

/** As much of a line as fits, with `…` where something is left out. */
export function cutLine(spans: Line, width: number): Line {
  if (width <= 0) return EMPTY_LINE;
  if (lineCells(spans) <= width) return spans;
  const kept: Span[] = [];
  let room = width - 1;
  for (const part of spans) {
    const cells = cellsOf(part.text);
    if (cells <= room) {
      kept.push(part);
      room -= cells;
      continue;
    }
    const { head } = splitAt(part.text, room);
    kept.push(styled(`${head}…`, part));
    break;
  }
  return kept;
}

/** A line with spaces at its end up to the width. */
export function padLine(spans: Line, width: number): Line {
  const missing = width - lineCells(spans);
  return missing > 0 ? [...spans, { text: ' '.repeat(missing) }] : spans;
}

/** Two lines in one, the second at the right edge; the first is cut where they meet. */
export function justified(left: Line, right: Line, width: number): Line {
  const rightCells = lineCells(right);
  if (rightCells + 8 > width) return cutLine(left, width);
  return [...padLine(cutLine(left, width - rightCells - 1), width - rightCells), ...right];
}

/** How lines are broken. */
export interface WrapOptions {
  /** In front of the first line. */
  readonly first?: Line;
  /** In front of every other one. */
  readonly rest?: Line;
}

/**
 * Breaks a line at spaces so that each piece fits into `width` cells, prefixes included; words that are too long are broken
 * where they must. At least one line, at least one character on each.
 */
export function wrapLine(spans: Line, width: number, { first = [], rest = first }: WrapOptions = {}): Line[] {
  const firstRoom = Math.max(1, width - lineCells(first));
  if (lineCells(spans) <= firstRoom) return [first.length === 0 ? spans : [...first, ...spans]];
  const restRoom = Math.max(1, width - lineCells(rest));
  const lines: Line[] = [];
  let current: Span[] = [...first];
  let room = firstRoom;
  let isEmpty = true;
  const breakLine = (): void => {
    lines.push(trimmedEnd(current));
    current = [...rest];
    room = restRoom;
    isEmpty = true;
  };
  for (const { word, part } of wordsOf(spans)) {
    let text = word;
    const isSpace = text.trim() === '';
    let cells = cellsOf(text);
    if (cells > room && !isEmpty) {
      breakLine();
      if (isSpace) continue;
    }
    if (isSpace && isEmpty && lines.length > 0) continue;
    while (cells > room && text !== '') {
      const { head, tail } = splitAt(text, room);
      current.push(styled(head, part));
      breakLine();
      text = tail;
      cells = cellsOf(text);
    }
    if (text === '') continue;
    current.push(styled(text, part));
    room -= cells;
    isEmpty = false;
  }
  if (!isEmpty || lines.length === 0) lines.push(joined(current));
  return lines.map(joined);
}

/** Text of several lines, each broken to the width. Tabs become two spaces. */
export function wrapText(text: string, width: number, style?: Span['style'], options?: WrapOptions): Line[] {
  const { first = [], rest = first } = options ?? {};
  return text
    .replaceAll('\t', '  ')
    .split('\n')
    .flatMap((row, index) =>
      wrapLine(row === '' ? EMPTY_LINE : [span(row, style)], width, {
        first: index === 0 ? first : rest,
        rest,
      }),
    );
}

/** Scripts without spaces between words may be broken behind every character. */
const WORD_PATTERN =
  /\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

function* wordsOf(spans: Line): Generator<{ word: string; part: Span }> {
  for (const part of spans) for (const word of part.text.match(WORD_PATTERN) ?? []) yield { word, part };
}

/** As many characters as fit into the cells, at least one, and what is left. */
function splitAt(text: string, cells: number): { head: string; tail: string } {
  // Printable ASCII takes a cell a character.
  if (/^[ -~]*$/.test(text)) {
    const end = Math.max(1, cells);
    return { head: text.slice(0, end), tail: text.slice(end) };
  }
  let head = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += cellsOf(segment);
    if (used > cells && head !== '') break;
    head += segment;
    if (used >= cells) break;
  }
  return { head, tail: text.slice(head.length) };
}

const styled = (text: string, { style }: Span): Span => span(text, style);

function trimmedEnd(spans: readonly Span[]): Line {
  const last = spans.at(-1);
  if (last === undefined || last.text.trim() !== '' || spans.length === 1) return spans;
  return spans.slice(0, -1);
}

/** Neighbours of one look as one span. */
function joined(spans: Line): Line {
  const found: Span[] = [];
  for (const part of spans) {
    const before = found.at(-1);
    if (before !== undefined && before.style === part.style) {
      found[found.length - 1] = styled(before.text + part.text, part);
    } else found.push(part);
  }
  return found;
}
