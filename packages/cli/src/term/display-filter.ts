/**
 * Questions of programs that a terminal emulator answers on its input. The host has answered them already [TERM-3]: the
 * emulator here must not see them, or each answer would be typed into the program once more. Among them are requests to
 * read the clipboard, which is nobody's business.
 */
const TERMINAL_QUERIES: readonly RegExp[] = [
  // DSR: status, cursor position and their private forms.
  /^\[\??[\d;]*n$/,
  // DA: what kind of terminal; `CSI ? … c` is the Linux console's cursor shape.
  /^\[[>=]?[\d;]*c$/,
  // DECRQM: is this mode set?
  /^\[\??[\d;]*\$p$/,
  // XTVERSION; DECREQTPARM; DECRQCRA.
  /^\[>[\d;]*q$/,
  /^\[[\d;]*x$/,
  /^\[[\d;]*\*y$/,
  // Keyboard protocol flags; XTQMODKEYS; XTSMGRAPHICS.
  /^\[\?u$/,
  /^\[\?[\d;]*m$/,
  /^\[\?[\d;]*S$/,
  // Reports of the window's state, size and title.
  /^\[(?:1[13-689]|2[01])(?:;\d+)*t$/,
  // Colours, fonts and clipboard, asked for by `?`.
  /^\](?:4|5|1\d|21|22|50|52|60|61)(?:;[^;]*)*;\?(?:\u0007|\u001b\\)$/u,
  // DECRQSS and XTGETTCAP.
  /^P[$+]q/,
  // DECID.
  /^Z$/,
];

/** Gets the output of a terminal ready for an emulator that shows it, and knows how to undo what it did there. */
export class DisplayFilter {
  readonly modes = new DisplayModes();
  readonly #joiner = new SequenceJoiner();
  readonly #pattern = sequencePattern();

  /** Filters the next piece. An unfinished sequence at its end is kept for the next call. */
  next(piece: string): string {
    return this.#joiner
      .next(piece)
      .replaceAll('\u0005', '')
      .replace(this.#pattern, (sequence) => {
        const body = sequence.slice(1);
        if (TERMINAL_QUERIES.some((question) => question.test(body))) return '';
        this.modes.see(body);
        return sequence;
      });
  }

  /** Forgets an unfinished sequence: another stream begins. */
  restart(): void {
    this.#joiner.rest();
  }
}

/** Output for files and pipes: no sequences, and lines that end as lines of files do. */
export class FileFilter {
  readonly #joiner = new SequenceJoiner();
  readonly #pattern = sequencePattern();
  readonly #isRaw: boolean;
  #hasReturn = false;
  #isInLine = false;

  /** `isRaw` keeps the sequences. */
  constructor(isRaw: boolean) {
    this.#isRaw = isRaw;
  }

  /** Filters the next piece. A carriage return at its end is kept for the next call. */
  next(piece: string): string {
    const plain = this.#isRaw ? piece : this.#joiner.next(piece).replace(this.#pattern, '');
    const text = (this.#hasReturn ? '\r' : '') + plain;
    this.#hasReturn = text.endsWith('\r');
    const written = (this.#hasReturn ? text.slice(0, -1) : text).replaceAll('\r\n', '\n');
    if (written !== '') this.#isInLine = !written.endsWith('\n');
    return written;
  }

  /** Output is missing between what came and what comes: ends the line, so that no two become one. */
  cut(): string {
    this.#joiner.rest();
    const end = this.#isInLine ? '\n' : '';
    this.#hasReturn = this.#isInLine = false;
    return end;
  }

  /** Returns the kept text. */
  rest(): string {
    const rest = this.#hasReturn ? '\r' : '';
    this.#hasReturn = false;
    return rest;
  }
}

/** Private modes that are on unless a program turns them off: wrapping at the margin, the cursor. */
const MODES_ON_BY_DEFAULT: ReadonlySet<number> = new Set([7, 25]);

/** The ways to show the alternate screen. */
const ALTERNATE_SCREENS: ReadonlySet<number> = new Set([47, 1047, 1049]);

const CSI = '\u001b[';

/** Modes that a program has changed in the terminal, so that they can be restored. */
export class DisplayModes {
  /** Private modes that are not as they are by default. */
  readonly #changed = new Map<number, boolean>();
  #hasMargins = false;
  #hasKeypad = false;
  #hasInsert = false;
  #hasModifiedKeys = false;
  #keyboardDepth = 0;
  #hasCursorShape = false;

  /** Takes in a sequence, without its ESC. */
  see(body: string): void {
    const [, privateModes = '', switched] = /^\[\?([\d;]+)([hl])$/.exec(body) ?? [];
    if (switched !== undefined) {
      for (const text of privateModes.split(';')) this.#switch(Number(text), switched === 'h');
      return;
    }
    if (body === 'c') this.#forget();
    else if (body === '=' || body === '>') this.#hasKeypad = body === '=';
    else if (/^\[\d*(?:;\d*)?r$/.test(body)) this.#hasMargins = body !== '[r';
    else if (/^\[4[hl]$/.test(body)) this.#hasInsert = body.endsWith('h');
    else if (/^\[>4(?:;\d*)?m$/.test(body)) this.#hasModifiedKeys = /;[1-9]/.test(body);
    else if (/^\[>\d*u$/.test(body)) this.#keyboardDepth += 1;
    else if (/^\[<\d*u$/.test(body)) {
      this.#keyboardDepth = Math.max(0, this.#keyboardDepth - Number(body.slice(2, -1) || 1));
    } else if (/^\[\d* q$/.test(body)) this.#hasCursorShape = !/^\[0? q$/.test(body);
  }

  /** Puts everything back: what to write to the emulator. Afterwards nothing is changed. */
  restore(): string {
    let text = '';
    for (const [mode, isOn] of this.#changed) {
      if (!ALTERNATE_SCREENS.has(mode)) text += `${CSI}?${mode}${isOn ? 'l' : 'h'}`;
    }
    if (this.#keyboardDepth > 0) text += `${CSI}<${this.#keyboardDepth}u`;
    if (this.#hasModifiedKeys) text += `${CSI}>4m`;
    if (this.#hasKeypad) text += '\u001b>';
    if (this.#hasInsert) text += `${CSI}4l`;
    if (this.#hasCursorShape) text += `${CSI}0 q`;
    // Setting margins moves the cursor home.
    if (this.#hasMargins) text += `\u001b7${CSI}r\u001b8`;
    for (const mode of ALTERNATE_SCREENS) if (this.#changed.has(mode)) text += `${CSI}?${mode}l`;
    this.#forget();
    // Colours, character sets.
    return `${text}${CSI}m\u001b(B\u000f`;
  }

  #switch(mode: number, isOn: boolean): void {
    if (isOn === MODES_ON_BY_DEFAULT.has(mode)) this.#changed.delete(mode);
    else this.#changed.set(mode, isOn);
  }

  #forget(): void {
    this.#changed.clear();
    this.#keyboardDepth = 0;
    this.#hasMargins = this.#hasKeypad = this.#hasInsert = false;
    this.#hasModifiedKeys = this.#hasCursorShape = false;
  }
}

const ESC = '\\u001b';
const BEL = '\\u0007';

/** A control sequence: parameters, intermediates, final byte (ECMA-48). */
const CONTROL_SEQUENCE = String.raw`${ESC}\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]`;
/** A string for the terminal: title, colours, a device control string. */
const CONTROL_STRING = String.raw`${ESC}[\]PX^_][^${BEL}${ESC}\u0018\u001a]*(?:${BEL}|${ESC}\\)`;
/** Any other escape sequence; `ESC \` by itself ends a string that began long ago. */
const OTHER_SEQUENCE = String.raw`${ESC}[\x20-\x2f]*[\x30-\x4f\x51-\x57\x59-\x5a\x5c\x60-\x7e]`;

/** A new global pattern that matches one escape sequence. */
export const sequencePattern = (): RegExp =>
  new RegExp(`${CONTROL_SEQUENCE}|${CONTROL_STRING}|${OTHER_SEQUENCE}`, 'g');

const UNFINISHED_SEQUENCE = new RegExp(
  String.raw`${ESC}(?:\[[\x30-\x3f]*[\x20-\x2f]*|[\]PX^_][^${BEL}${ESC}\u0018\u001a]*${ESC}?|[\x20-\x2f]*)$`,
);

/** A sequence longer than this is let through in pieces: an image, and nothing that anybody has to understand here. */
const MAX_HELD_LENGTH = 64 * 1024;

/** Cuts a stream so that no sequence is split between two pieces. */
export class SequenceJoiner {
  #held = '';

  /** The next piece with what was held back, without a sequence that it begins and does not end. */
  next(piece: string): string {
    const text = this.#held + piece;
    this.#held = '';
    const last = text.lastIndexOf('\u001b');
    if (last < 0) return text;
    // A string ends with ESC \: then the unfinished one may begin at the ESC before.
    const before = last === text.length - 1 ? text.lastIndexOf('\u001b', last - 1) : last;
    for (const start of before < 0 ? [last] : [before, last]) {
      if (text.length - start > MAX_HELD_LENGTH || !UNFINISHED_SEQUENCE.test(text.slice(start))) continue;
      this.#held = text.slice(start);
      return text.slice(0, start);
    }
    return text;
  }

  /** Returns the held text at the end of the stream. */
  rest(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}
