import type { Term } from './query.ts';

/** Finds a term in a stream of words, by Knuth, Morris and Pratt: the work does not grow with the length of a phrase. */
export class TermFinder {
  /** Compared as a whole, without the last one when that may be a beginning. */
  readonly #exact: readonly string[];
  /** What the last word begins with. */
  readonly #prefix: string | undefined;
  /** How much of the term still fits when its first so many words fit and the next does not. */
  readonly #fallback: readonly number[];
  #fitting = 0;

  constructor({ words, isPrefix }: Term) {
    this.#exact = isPrefix ? words.slice(0, -1) : words;
    this.#prefix = isPrefix ? words.at(-1) : undefined;
    this.#fallback = fallbacksOf(this.#exact);
  }

  get wordCount(): number {
    return this.#exact.length + (this.#prefix === undefined ? 0 : 1);
  }

  /** Takes the next word; whether the term ends with it. */
  next(word: string): boolean {
    const wasWhole = this.#fitting === this.#exact.length;
    this.#advance(word);
    if (this.#prefix === undefined) return this.#fitting === this.#exact.length;
    return wasWhole && word.startsWith(this.#prefix);
  }

  #advance(word: string): void {
    while (this.#fitting > 0 && this.#exact[this.#fitting] !== word) {
      this.#fitting = this.#fallback[this.#fitting] ?? 0;
    }
    if (this.#exact[this.#fitting] === word) this.#fitting += 1;
  }
}

/** By the count of words that fit. */
function fallbacksOf(words: readonly string[]): number[] {
  const fallbacks = [0, 0];
  for (let count = 1; count < words.length; count += 1) {
    let shorter = fallbacks[count] ?? 0;
    while (shorter > 0 && words[shorter] !== words[count]) shorter = fallbacks[shorter] ?? 0;
    fallbacks.push(words[shorter] === words[count] ? shorter + 1 : 0);
  }
  return fallbacks;
}
