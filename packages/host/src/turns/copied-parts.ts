/** Entries of part lists that are copied from one collection to the next: a gigabyte. */
export const COLLECT_COPIED = 128 * 1024 * 1024;

/**
 * Has the garbage of long turns collected. Each action copies the list of its turn's parts, 400 kB of 50,000: V8 by itself lets such
 * copies come to 200 MB before it takes them away. Turns of usual length never come to a collection.
 */
export class CopiedParts {
  readonly #collect: () => void;
  #count = 0;

  constructor(collect: () => void) {
    this.#collect = collect;
  }

  /** A list of so many parts was copied. */
  add(partCount: number): void {
    this.#count += partCount;
    if (this.#count < COLLECT_COPIED) return;
    this.#count = 0;
    this.#collect();
  }
}
