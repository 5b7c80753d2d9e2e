import type { IBuffer, IBufferLine, Terminal } from '@xterm/headless';
import {
  background,
  blankStyle,
  hasStyle,
  linkOf,
  PLAIN_STYLE,
  type Style,
  sgr,
  styleOf,
} from './attributes.ts';
import { type Cell, type EmulatorCore, emptyCell, emulatorCore } from './internals.ts';

/** How a line is come to from the one above. */
type Entry = 'fresh' | 'natural' | 'forced';

/**
 * Writes the lines of a screen as text that makes the same lines on an empty one with the cursor at its top left, wraps
 * included. Ends in the plain style, the cursor anywhere.
 */
export class RowWriter {
  readonly #core: EmulatorCore;
  readonly #cell: Cell;
  readonly #other: Cell;
  readonly #cols: number;
  #out: string[] = [];
  #style: Style = PLAIN_STYLE;
  #link = 0;

  constructor(terminal: Terminal) {
    this.#core = emulatorCore(terminal);
    this.#cell = emptyCell(terminal);
    this.#other = emptyCell(terminal);
    this.#cols = terminal.cols;
  }

  /** Every line that there is; below a screen without scrollback, empty ones are left out. */
  write(buffer: IBuffer): string {
    this.#out = [];
    const count = buffer.baseY > 0 ? buffer.length : this.#used(buffer);
    let entry: Entry = 'fresh';
    let isExplicit = false;
    for (let y = 0; y < count; y++) {
      const line = buffer.getLine(y);
      if (line === undefined) break;
      const next = y + 1 < count ? buffer.getLine(y + 1) : undefined;
      const exit = this.#exit(line, next);
      this.#line(line, entry, exit, isExplicit);
      // A line that a wrap scrolled into being is in the colour that was written in, and one that was forced has a character.
      isExplicit = exit !== 'fresh';
      if (exit !== 'natural' && next !== undefined) {
        this.#as(PLAIN_STYLE, 0);
        this.#out.push(exit === 'fresh' ? '\r\n' : '\x1b[B\r');
      }
      entry = exit;
    }
    this.#as(PLAIN_STYLE, 0);
    return this.#out.join('');
  }

  /** From the last character of a line, written once more where it is: leaves the cursor behind the line's end. */
  lineEnd(line: IBufferLine, x: number): string {
    this.#out = [];
    line.getCell(x, this.#cell);
    const chars = this.#cell.getChars();
    this.#as(styleOf(this.#cell), linkOf(this.#cell));
    this.#out.push(chars || ' ');
    // Whatever empties the last cell and leaves the cursor there empties the line.
    if (chars === '') this.#out.push('\x1b[2K');
    this.#as(PLAIN_STYLE, 0);
    return this.#out.join('');
  }

  #used(buffer: IBuffer): number {
    for (let y = buffer.length - 1; y >= 0; y--) {
      const line = buffer.getLine(y);
      if (line === undefined) continue;
      if (line.isWrapped) return y + 1;
      for (let x = 0; x < this.#cols; x++) {
        line.getCell(x, this.#cell);
        if (this.#cell.getChars() !== '' || background(this.#cell) !== 0) return y + 1;
      }
    }
    return 0;
  }

  #exit(line: IBufferLine, next: IBufferLine | undefined): Entry {
    if (next === undefined || !next.isWrapped) return 'fresh';
    next.getCell(0, this.#other);
    if (this.#other.getChars() === '' || this.#other.getWidth() === 0) return 'forced';
    line.getCell(this.#cols - 1, this.#cell);
    if (this.#cell.getChars() !== '' || this.#cell.getWidth() === 0) return 'natural';
    if (this.#other.getWidth() < 2 || background(this.#cell) !== background(this.#other)) return 'forced';
    // A wide character that found one column left: that column stays empty.
    line.getCell(this.#cols - 2, this.#cell);
    return this.#cell.getChars() !== '' || this.#cell.getWidth() === 0 ? 'natural' : 'forced';
  }

  #line(line: IBufferLine, entry: Entry, exit: Entry, isExplicit: boolean): void {
    if (exit === 'forced') {
      // Wrap first, then come back and write the line over what made it wrap.
      if (entry === 'natural') this.#cells(line, 1, false);
      this.#as(PLAIN_STYLE, 0);
      this.#out.push(`\x1b[${this.#cols}G- \x1b[A\r`);
    }
    this.#cells(line, this.#cols, isExplicit || exit === 'forced');
  }

  #cells(line: IBufferLine, count: number, isExplicit: boolean): void {
    const cell = this.#cell;
    let blanks = 0;
    let color = 0;
    for (let x = 0; x < count; ) {
      line.getCell(x, cell);
      const chars = cell.getChars();
      if (chars === '') {
        if (blanks > 0 && background(cell) !== color) {
          this.#blanks(blanks, color, isExplicit, false);
          blanks = 0;
        }
        color = background(cell);
        blanks++;
        x++;
        continue;
      }
      if (blanks > 0) this.#blanks(blanks, color, isExplicit, false);
      blanks = 0;
      const link = linkOf(cell);
      if (link !== this.#link || !hasStyle(cell, this.#style)) this.#as(styleOf(cell), link);
      this.#out.push(chars);
      x += cell.getWidth() || 1;
    }
    if (blanks > 0) this.#blanks(blanks, color, isExplicit, true);
  }

  #blanks(count: number, color: number, isExplicit: boolean, isEnd: boolean): void {
    if (color !== 0 || isExplicit) {
      if (this.#style.bg !== color || this.#style.fg !== 0) this.#as(blankStyle(color), 0);
      this.#out.push(`\x1b[${count}X`);
    }
    if (!isEnd) this.#out.push(`\x1b[${count}C`);
  }

  #as(style: Style, link: number): void {
    if (style.fg !== this.#style.fg || style.bg !== this.#style.bg || style.ext !== this.#style.ext) {
      this.#out.push(sgr(style));
      this.#style = style;
    }
    if (link === this.#link) return;
    this.#link = link;
    const data = link === 0 ? undefined : this.#core._oscLinkService.getLinkData(link);
    this.#out.push(`\x1b]8;${data?.id === undefined ? '' : `id=${data.id}`};${data?.uri ?? ''}\x1b\\`);
  }
}
