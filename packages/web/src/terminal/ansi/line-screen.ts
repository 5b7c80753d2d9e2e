import { type AnsiStyle, isSameStyle, PLAIN } from './ansi-style.ts';

/** Text of one style. */
export interface AnsiSpan {
  readonly text: string;
  readonly style: AnsiStyle;
}

/** A line of output. */
export type AnsiLine = readonly AnsiSpan[];

interface Cell {
  text: string;
  readonly style: AnsiStyle;
  /** 0: the second half of a wide character. */
  readonly width: 0 | 1 | 2;
}

/** No program writes beyond this column; a larger one would only cost memory. */
const MAX_COLUMN = 1_000;

/** UTF-16 units of one character with its combining marks. */
const MAX_CELL_LENGTH = 24;

const BLANK: Cell = { text: ' ', style: PLAIN, width: 1 };

/** Lines with a cursor: the content of a terminal without a right margin. */
export class LineScreen {
  style: AnsiStyle = PLAIN;
  readonly #rows: number;
  readonly #maxLines: number;
  #lines: Cell[][] = [[]];
  #row = 0;
  #column = 0;
  #saved = { row: 0, column: 0 };

  /** `rows`: height of the screen, for absolute positions. Lines before the last `maxLines` are dropped. */
  constructor({ rows, maxLines }: { readonly rows: number; readonly maxLines: number }) {
    this.#rows = rows;
    this.#maxLines = maxLines;
  }

  /** Writes one character at the cursor. */
  put(text: string, width: 0 | 1 | 2): void {
    const line = this.#line();
    if (width === 0) {
      const before = line[this.#column - 1]?.width === 0 ? line[this.#column - 2] : line[this.#column - 1];
      if (before !== undefined && before.text.length + text.length <= MAX_CELL_LENGTH) {
        line[line.indexOf(before, Math.max(0, this.#column - 2))] = { ...before, text: before.text + text };
      }
      return;
    }
    if (this.#column >= MAX_COLUMN) return;
    while (line.length < this.#column) line.push(BLANK);
    this.#splitWide(line, this.#column);
    line[this.#column] = { text, style: this.style, width };
    if (width === 2) {
      this.#splitWide(line, this.#column + 1);
      line[this.#column + 1] = { text: '', style: this.style, width: 0 };
    }
    this.#column += width;
  }

  newLine(): void {
    this.#row += 1;
    this.#column = 0;
    if (this.#row < this.#lines.length) return;
    this.#lines.push([]);
    if (this.#lines.length > this.#maxLines) {
      this.#lines.shift();
      this.#row -= 1;
    }
  }

  tab(): void {
    this.toColumn((Math.floor(this.#column / 8) + 1) * 8);
  }

  toColumn(column: number): void {
    this.#column = Math.min(Math.max(column, 0), MAX_COLUMN);
  }

  move(rows: number, columns: number): void {
    this.#row = Math.min(Math.max(this.#row + rows, 0), this.#lines.length - 1);
    this.toColumn(this.#column + columns);
  }

  /** Moves to a position of the screen, which is the last `rows` lines. Counted from 0. */
  toPosition(row: number, column: number): void {
    this.#row = Math.min(this.#top() + Math.max(row, 0), this.#lines.length - 1);
    this.toColumn(column);
  }

  save(): void {
    this.#saved = { row: this.#row, column: this.#column };
  }

  restore(): void {
    this.#row = Math.min(this.#saved.row, this.#lines.length - 1);
    this.#column = this.#saved.column;
  }

  /** Erases in the line: 0 from the cursor on, 1 up to the cursor, 2 all of it. */
  eraseInLine(mode: number): void {
    const line = this.#line();
    if (mode === 0) line.length = Math.min(line.length, this.#column);
    else if (mode === 2) line.length = 0;
    else for (let at = 0; at <= this.#column && at < line.length; at++) line[at] = BLANK;
  }

  /** Erases on the screen: 0 from the cursor on, 1 up to the cursor, 2 and 3 all of it. */
  eraseInScreen(mode: number): void {
    this.eraseInLine(mode > 1 ? 2 : mode);
    if (mode === 0) this.#lines.length = this.#row + 1;
    else if (mode === 1) for (let at = this.#top(); at < this.#row; at++) this.#lines[at] = [];
    else {
      this.#lines.length = this.#top() + 1;
      this.#row = this.#lines.length - 1;
      this.#lines[this.#row] = [];
    }
  }

  deleteCharacters(count: number): void {
    this.#line().splice(this.#column, count);
  }

  reset(): void {
    this.#lines = [[]];
    this.#row = this.#column = 0;
    this.style = PLAIN;
  }

  /** The lines as spans, without spaces at their ends and without empty lines at the end. */
  lines(): AnsiLine[] {
    const found = this.#lines.map(spansOf);
    while (found.length > 0 && found.at(-1)?.length === 0) found.pop();
    return found;
  }

  #line(): Cell[] {
    const present = this.#lines[this.#row];
    if (present !== undefined) return present;
    const line: Cell[] = [];
    this.#lines[this.#row] = line;
    return line;
  }

  #top(): number {
    return Math.max(0, this.#lines.length - this.#rows);
  }

  /** Replaces the other half of a wide character that is about to lose one half. */
  #splitWide(line: Cell[], column: number): void {
    const cell = line[column];
    if (cell?.width === 0) line[column - 1] = BLANK;
    if (cell?.width === 2) line[column + 1] = BLANK;
  }
}

function spansOf(line: readonly Cell[]): AnsiLine {
  let end = line.length;
  while (end > 0) {
    const cell = line[end - 1];
    if (cell === undefined || cell.text !== ' ' || isVisible(cell.style)) break;
    end -= 1;
  }
  const spans: { text: string; readonly style: AnsiStyle }[] = [];
  for (let at = 0; at < end; at++) {
    const cell = line[at] ?? BLANK;
    const last = spans.at(-1);
    if (last !== undefined && isSameStyle(last.style, cell.style)) last.text += cell.text;
    else spans.push({ text: cell.text, style: cell.style });
  }
  return spans;
}

/** Whether a space of this style can be seen. */
const isVisible = ({ background, isInverse, isUnderlined }: AnsiStyle): boolean =>
  background !== undefined || isInverse === true || isUnderlined === true;
