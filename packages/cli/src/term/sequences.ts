const esc = '\\u001b';
const bel = '\\u0007';

/** A control sequence: parameters, intermediates, final byte (ECMA-48). */
const controlSequence = String.raw`${esc}\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]`;
/** A string for the terminal: title, colours, a device control string. */
const controlString = String.raw`${esc}[\]PX^_][^${bel}${esc}\u0018\u001a]*(?:${bel}|${esc}\\)`;
/** Any other escape sequence; `ESC \` by itself ends a string that began long ago. */
const otherSequence = String.raw`${esc}[\x20-\x2f]*[\x30-\x4f\x51-\x57\x59-\x5a\x5c\x60-\x7e]`;

/** What a terminal obeys rather than shows, one at a time, as a global pattern of its own for each caller. */
export const sequencePattern = (): RegExp =>
  new RegExp(`${controlSequence}|${controlString}|${otherSequence}`, 'g');

const unfinished = new RegExp(
  String.raw`${esc}(?:\[[\x30-\x3f]*[\x20-\x2f]*|[\]PX^_][^${bel}${esc}\u0018\u001a]*${esc}?|[\x20-\x2f]*)$`,
);

/** A sequence longer than this is let through in pieces: an image, and nothing that anybody has to understand here. */
const limit = 64 * 1024;

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
      if (text.length - start > limit || !unfinished.test(text.slice(start))) continue;
      this.#held = text.slice(start);
      return text.slice(0, start);
    }
    return text;
  }

  /** What is held back, when nothing follows it any more. */
  rest(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}
