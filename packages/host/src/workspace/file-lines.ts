/** Longest part of a line by which lines around an annotation are compared, in UTF-16 code units. */
const MAX_KEY_LENGTH = 200;

/** The part of a line by which it is looked up. */
export const lineKey = (line: string): string => line.slice(0, MAX_KEY_LENGTH);

/** A line without the white space that formatting changes. */
export const squeezed = (line: string): string => line.trim().replace(/\s+/g, ' ');

/** Number of letters, digits and underscores of a text. */
export const wordsIn = (text: string): number => text.match(/[\p{L}\p{N}_]/gu)?.length ?? 0;

/** The lines of a text file, with an index of their places. */
export class FileLines {
  /** Without their line breaks. */
  readonly lines: readonly string[];
  #places: Map<string, number[]> | undefined;
  #squeezed: FileLines | undefined;

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }

  /** The lines of a text; they end at LF or CRLF. */
  static of(text: string): FileLines {
    return new FileLines(text.split(/\r?\n/));
  }

  /** The same lines without the white space that formatting changes. */
  get squeezed(): FileLines {
    this.#squeezed ??= new FileLines(this.lines.map(squeezed));
    return this.#squeezed;
  }

  /** Numbers of the lines that begin like this one, from 0, in order. */
  placesOf(line: string): readonly number[] {
    if (this.#places === undefined) {
      this.#places = new Map();
      for (const [index, each] of this.lines.entries()) {
        const key = lineKey(each);
        const places = this.#places.get(key);
        if (places === undefined) this.#places.set(key, [index]);
        else places.push(index);
      }
    }
    return this.#places.get(lineKey(line)) ?? [];
  }
}
