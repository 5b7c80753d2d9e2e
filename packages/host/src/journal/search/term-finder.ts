import type { Term } from './query.ts';

/** Finds a term in a stream of words (Knuth–Morris–Pratt), so that the work does not grow with the length of a phrase. */
export class TermFinder {
  /** The words that must match as a whole: all but a last word that is a prefix. */
  readonly #exact: readonly string[];
  /** The prefix that the last word must begin with. */
  readonly #prefix: string | undefined;
  /** By number of matching words: the number that still match after the next word fails. */
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

  /** Takes the next word. Returns whether a match of the term ends with it. */
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

/** The failure function of the algorithm, by number of matching words. */
function fallbacksOf(words: readonly string[]): number[] {
  const fallbacks = [0, 0];
  for (let count = 1; count < words.length; count += 1) {
    let shorter = fallbacks[count] ?? 0;
    while (shorter > 0 && words[shorter] !== words[count]) shorter = fallbacks[shorter] ?? 0;
    fallbacks.push(words[shorter] === words[count] ? shorter + 1 : 0);
  }
  return fallbacks;
}
