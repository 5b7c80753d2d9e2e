import { visibleText } from '../../text/visible-text.ts';
import { applySgr } from './ansi-style.ts';
import { charWidth } from './char-width.ts';
import { type AnsiLine, LineScreen } from './line-screen.ts';

/** Output as lines. */
export interface FoldedOutput {
  readonly lines: readonly AnsiLine[];
  /** Whether a full-screen program has the screen; its output is not in `lines`. */
  readonly isFullScreen: boolean;
}

/** Options of `foldAnsi`. */
export interface FoldOptions {
  /** Height of the terminal, for absolute positions. Default 24. */
  readonly rows?: number;
  /** Lines to keep, from the end. Default 500. */
  readonly maxLines?: number;
}

const CONTROL_SEQUENCE = /\u001b\[([\x30-\x3f]*)([\x20-\x2f]*)([\x40-\x7e])/y;
const UNFINISHED_SEQUENCE = /\u001b(?:\[[\x30-\x3f]*[\x20-\x2f]*|[\x20-\x2f]*)$/y;
/** A string for the terminal, such as a title. An ESC that begins another sequence ends it. */
const CONTROL_STRING =
  /\u001b[\]PX^_][^\u0007\u0018\u001a\u001b]*(?:\u0007|\u0018|\u001a|\u001b\\|(?=\u001b)|$)/y;
const OTHER_SEQUENCE = /\u001b([\x20-\x2f]*)([\x30-\x7e])/y;

/** DEC special graphics, from `j` on; other characters stay. */
const LINE_DRAWING: Readonly<Record<string, string>> = {
  j: '┘',
  k: '┐',
  l: '┌',
  m: '└',
  n: '┼',
  q: '─',
  t: '├',
  u: '┤',
  v: '┴',
  w: '┬',
  x: '│',
  a: '▒',
  '`': '◆',
  '~': '·',
};

/**
 * Renders the output of a program as lines of styled text. Carriage returns, cursor movements and erases are applied, so a progress bar shows its
 * last state. Titles, links and queries are dropped; other control characters and direction characters show as symbols. A sequence without its end
 * is dropped.
 */
export function foldAnsi(text: string, { rows = 24, maxLines = 500 }: FoldOptions = {}): FoldedOutput {
  const folding = new Folding(new LineScreen({ rows, maxLines }));
  let at = 0;
  while (at < text.length) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (character !== '\u001b') {
      folding.character(character);
      at += character.length;
      continue;
    }
    const length = folding.sequence(text, at);
    if (length === undefined) break;
    at += length;
  }
  return folding.result();
}

class Folding {
  readonly #screen: LineScreen;
  #isFullScreen = false;
  #hasLineDrawing = false;

  constructor(screen: LineScreen) {
    this.#screen = screen;
  }

  result(): FoldedOutput {
    return { lines: this.#screen.lines(), isFullScreen: this.#isFullScreen };
  }

  character(character: string): void {
    if (this.#isFullScreen) return;
    switch (character) {
      case '\n':
      case '\u000b':
      case '\u000c':
        return this.#screen.newLine();
      case '\r':
        return this.#screen.toColumn(0);
      case '\b':
        return this.#screen.move(0, -1);
      case '\t':
        return this.#screen.tab();
      // Bell, and the switches between two character sets.
      case '\u0007':
      case '\u000e':
      case '\u000f':
        return;
      default:
        this.#screen.put(this.#shown(character), charWidth(character));
    }
  }

  #shown(character: string): string {
    if (this.#hasLineDrawing) return LINE_DRAWING[character] ?? visibleText(character);
    return character >= ' ' && character <= '~' ? character : visibleText(character);
  }

  /** Applies the sequence at `at`. Returns its length; `undefined` if its end has not come yet. */
  sequence(text: string, at: number): number | undefined {
    const control = matchAt(CONTROL_SEQUENCE, text, at);
    if (control !== null) {
      const [all, parameters = '', intermediates = '', final = ''] = control;
      if (intermediates === '') this.#control(parameters, final);
      return all.length;
    }
    if (matchAt(UNFINISHED_SEQUENCE, text, at) !== null) return undefined;
    const string = matchAt(CONTROL_STRING, text, at);
    if (string !== null) return string[0].length;
    const other = matchAt(OTHER_SEQUENCE, text, at);
    // `ESC [` with an invalid byte.
    if (other === null || other[0] === '\u001b[') {
      if (!this.#isFullScreen) this.#screen.put(visibleText('\u001b'), 1);
      return 1;
    }
    this.#escape(other[1] ?? '', other[2] ?? '');
    return other[0].length;
  }

  #escape(intermediates: string, final: string): void {
    if (intermediates === '(') this.#hasLineDrawing = final === '0';
    if (intermediates !== '') return;
    if (final === 'c') {
      this.#screen.reset();
      this.#isFullScreen = this.#hasLineDrawing = false;
    } else if (this.#isFullScreen) return;
    else if (final === 'M') this.#screen.move(-1, 0);
    else if (final === '7') this.#screen.save();
    else if (final === '8') this.#screen.restore();
    else if (final === 'E') this.#screen.newLine();
  }

  #control(parameters: string, final: string): void {
    if (parameters.startsWith('?')) {
      if (/^\?(?:.*;)?(?:47|1047|1049)(?:;|$)/.test(parameters)) {
        if (final === 'h') this.#isFullScreen = true;
        if (final === 'l') this.#isFullScreen = false;
      }
      return;
    }
    // Private forms, such as keyboard protocols.
    if (/^[<=>]/.test(parameters)) return;
    if (final === 'm') {
      this.#screen.style = applySgr(this.#screen.style, parameters);
      return;
    }
    if (this.#isFullScreen) return;
    const [first = 0, second = 0] = parameters.split(';').map((each) => Number.parseInt(each, 10) || 0);
    const count = Math.max(first, 1);
    switch (final) {
      case 'A':
        return this.#screen.move(-count, 0);
      case 'B':
        return this.#screen.move(count, 0);
      case 'C':
        return this.#screen.move(0, count);
      case 'D':
        return this.#screen.move(0, -count);
      case 'E':
        this.#screen.toColumn(0);
        return this.#screen.move(count, 0);
      case 'F':
        this.#screen.toColumn(0);
        return this.#screen.move(-count, 0);
      case 'G':
      case '`':
        return this.#screen.toColumn(count - 1);
      case 'H':
      case 'f':
        return this.#screen.toPosition(count - 1, Math.max(second, 1) - 1);
      case 'J':
        return this.#screen.eraseInScreen(first);
      case 'K':
        return this.#screen.eraseInLine(first);
      case 'P':
        return this.#screen.deleteCharacters(count);
      case 's':
        return this.#screen.save();
      case 'u':
        return this.#screen.restore();
      default:
    }
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
