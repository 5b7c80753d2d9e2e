/**
 * Nobody sees it: it reorders what stands beside it, so that a name could read as another, or takes no room at all, so that two names look
 * the same and a text says more than it shows. Joiners and variation selectors stay, for scripts and emoji need them.
 */
export const unseen =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/u;

/** Text in which there is nothing to take out: most of it, and told apart fast. */
const harmless = /^[\t\n -~\u00a0-\u00ac\u00ae-\u0600]*$/;

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
 * Takes out of a text whatever a terminal would obey: escape sequences, control characters but newline and tab,
 * controls of writing direction, and characters without any width. Remembers where it is, so that a sequence may be split over pieces.
 */
export class PlainText {
  #state: State = 'text';

  /** What of the next piece may be shown. */
  next(piece: string): string {
    if (this.#state === 'text' && harmless.test(piece)) return piece;
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
        return (isControl && character !== '\t') || unseen.test(character) ? '' : character;
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

/** A whole text without anything that a terminal would obey. */
export const plain = (text: string): string => new PlainText().next(text);

/** The same on one line, cut to `limit` characters. */
export function oneLine(text: string, limit = 200): string {
  const line = plain(text).replace(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 3).trimEnd()}...`;
}
