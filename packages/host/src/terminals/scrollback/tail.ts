import { outputOf, type TerminalContentPart } from '@agenthost/protocol';
import { isPlainText } from './plain.ts';
import type { TailCut } from './trim.ts';

/** Pieces shorter than this, in UTF-16 units, are joined with the next: keys come one by one. */
const JOIN_BELOW = 16 * 1024;

/**
 * The text of the part that output is appended to, in the pieces that it came in. The part itself holds a rope of them, and looking
 * into that would copy all of it, each time that there is more. What is known here fits as long as nothing but output makes the
 * part longer and nothing but `cutTo` shorter; with every output that begins another part, it begins anew.
 */
export class TailPieces {
  /** Together `#length` long. `undefined`: the part began before anything was told. */
  #pieces: string[] | undefined;
  #length = 0;

  /** This was appended to the last part of `content`. */
  wrote(content: readonly TerminalContentPart[], text: string): void {
    const length = lengthOf(content.at(-1));
    if (length === text.length) this.#set([text], length);
    else if (length === this.#length + text.length) this.#append(text, length);
    else this.#pieces = undefined;
  }

  /** The text of this part, which is the last one, is this now. */
  cutTo(pieces: readonly string[]): void {
    this.#set(
      [...pieces],
      pieces.reduce((length, piece) => length + piece.length, 0),
    );
  }

  /**
   * Where `cutAt` would cut the text of the last part, if everything before it is plain text: at the first line start at or behind
   * `from`. `undefined` when that is not so, or the pieces are not known.
   */
  cut(part: TerminalContentPart, from: number): TailCut | undefined {
    const pieces = this.#pieces;
    if (pieces === undefined || lengthOf(part) !== this.#length) return undefined;
    let start = 0;
    for (const [index, piece] of pieces.entries()) {
      const newline = start + piece.length < from ? -1 : piece.indexOf('\n', from - 1 - start);
      if (newline >= 0) {
        const at = newline + 1;
        const dropped = [...pieces.slice(0, index), piece.slice(0, at)];
        const rest = [piece.slice(at), ...pieces.slice(index + 1)].filter((text) => text !== '');
        return rest.length > 0 && dropped.every(isPlainText) ? { dropped, rest } : undefined;
      }
      start += piece.length;
    }
    return undefined;
  }

  #append(text: string, length: number): void {
    const pieces = this.#pieces;
    if (pieces === undefined) return;
    const last = pieces.at(-1);
    if (last !== undefined && last.length + text.length < JOIN_BELOW) pieces[pieces.length - 1] = last + text;
    else pieces.push(text);
    this.#length = length;
  }

  #set(pieces: string[], length: number): void {
    this.#pieces = pieces;
    this.#length = length;
  }
}

const lengthOf = (part: TerminalContentPart | undefined): number =>
  part === undefined ? 0 : outputOf(part).length;
