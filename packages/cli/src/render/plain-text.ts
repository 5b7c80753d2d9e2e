/**
 * An invisible character: it reorders the text beside it, so that a name could read as another, or takes no room at all, so that two names look
 * the same and a text says more than it shows. Joiners and variation selectors stay, for scripts and emoji need them.
 */
export const INVISIBLE_CHARACTER =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/u;

/** Matches text without such characters: a fast path for most text. */
const HARMLESS_TEXT = /^[\t\n -~\u00a0-\u00ac\u00ae-\u0600]*$/;

type State =
  | 'text'
  /** Behind ESC. */
  | 'escape'
  /** Behind ESC and an intermediate byte. */
  | 'charset'
  /** In a control sequence, up to its final byte. */
  | 'sequence'
  /** In a string for the terminal (a title, a clipboard), up to its terminator. */
  | 'string'
  /** Behind ESC in such a string. */
  | 'stringEscape';

/**
 * Removes what a terminal would interpret: escape sequences, control characters except newline and tab,
 * controls of writing direction, and characters without any width. Remembers where it is, so that a sequence may be split over pieces.
 */
export class PlainText {
  #state: State = 'text';

  /** Filters the next piece. */
  next(piece: string): string {
    if (this.#state === 'text' && HARMLESS_TEXT.test(piece)) return piece;
    let shown = '';
    for (const character of piece) shown += this.#take(character);
    return shown;
  }

  #take(character: string): string {
    const code = character.codePointAt(0) ?? 0;
    const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
    // No sequence goes over the end of a line: a string that nobody ends would swallow the rest.
    if (character === '\n' || character === '\u2028' || character === '\u2029') return this.#text('\n');
    if (code === 0x1b) return this.#to(this.#state === 'string' ? 'stringEscape' : 'escape');
    if (code === 0x9b) return this.#to('sequence');
    if (code === 0x90 || code === 0x98 || (code >= 0x9d && code <= 0x9f)) return this.#to('string');
    switch (this.#state) {
      case 'text':
        return (isControl && character !== '\t') || INVISIBLE_CHARACTER.test(character) ? '' : character;
      case 'escape':
        if (character === '[') return this.#to('sequence');
        if (']PX^_'.includes(character)) return this.#to('string');
        return this.#to(code >= 0x20 && code <= 0x2f ? 'charset' : 'text');
      case 'charset':
        return this.#to(code >= 0x20 && code <= 0x2f ? 'charset' : 'text');
      case 'sequence':
        return this.#to(code >= 0x20 && code <= 0x3f ? 'sequence' : 'text');
      case 'string':
        return this.#to(isControl ? 'text' : 'string');
      default:
        return this.#to('text');
    }
  }

  #to(state: State): string {
    this.#state = state;
    return '';
  }

  #text(character: string): string {
    this.#state = 'text';
    return character;
  }
}

/** A text without terminal sequences and control characters. */
export const plain = (text: string): string => new PlainText().next(text);

/** The same on one line, cut to `limit` characters. */
export function oneLine(text: string, limit = 200): string {
  const line = plain(text).replace(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 3).trimEnd()}...`;
}

const segmenter = new Intl.Segmenter();

/** East Asian wide and full-width characters, and those that are shown as emoji. */
const WIDE_CHARACTER =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/** Matches text with one cell per character: a fast path for most text. */
const NARROW_TEXT = /^[ -~]*$/;

/** Cells that a line of plain text takes in a terminal; wide characters take two. */
export function cellsOf(text: string): number {
  if (NARROW_TEXT.test(text)) return text.length;
  let cells = 0;
  for (const { segment } of segmenter.segment(text)) cells += WIDE_CHARACTER.test(segment) ? 2 : 1;
  return cells;
}

/** As much of a line as fits into so many cells, with an ellipsis where something is left out. */
export function cutToCells(text: string, limit: number): string {
  if (cellsOf(text) <= limit) return text;
  let kept = '';
  let cells = 3;
  for (const { segment } of segmenter.segment(text)) {
    cells += WIDE_CHARACTER.test(segment) ? 2 : 1;
    if (cells > limit) break;
    kept += segment;
  }
  return `${kept.trimEnd()}...`;
}

/** A path with `~` for the home folder. */
export const homely = (path: string, home: string): string =>
  path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;

/** Characters that JSON does not escape and that are unsafe on a terminal. */
const UNSAFE_IN_JSON = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029]|${INVISIBLE_CHARACTER.source}`, 'gu');

/** A value as JSON without line breaks that is harmless on a terminal, too. */
export const harmlessJson = (value: unknown): string =>
  JSON.stringify(value).replace(UNSAFE_IN_JSON, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** Adds a line break at the end. */
export const jsonLine = (value: unknown): string => `${harmlessJson(value)}\n`;
