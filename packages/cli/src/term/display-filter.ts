import { DisplayModes } from './display-modes.ts';
import { SequenceJoiner, sequencePattern } from './sequences.ts';

/**
 * Questions of programs that a terminal emulator answers on its input. The host has answered them already [TERM-3]: the
 * emulator here must not see them, or each answer would be typed into the program once more. Among them are requests to
 * read the clipboard, which is nobody's business.
 */
const questions: readonly RegExp[] = [
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

  /** What of the next piece to write; the end of it may wait for the next. Between two results no sequence is split. */
  next(piece: string): string {
    return this.#joiner
      .next(piece)
      .replaceAll('\u0005', '')
      .replace(this.#pattern, (sequence) => {
        const body = sequence.slice(1);
        if (questions.some((question) => question.test(body))) return '';
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

  /** What to write; a carriage return at the end waits for what follows. */
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

  /** What waits still. */
  rest(): string {
    const rest = this.#hasReturn ? '\r' : '';
    this.#hasReturn = false;
    return rest;
  }
}
