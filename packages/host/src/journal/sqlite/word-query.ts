import { SLICE_MS } from '../../lib/slice-scheduler.ts';
import type { Term } from '../search/query.ts';
import { type Statements, text } from './statements.ts';

/** Words that one statement asks for. Those left out are looked at by whoever reads what is found. */
const MAX_WORDS = 8;
/** Words with one beginning; where there are more, all with its first two characters are asked for. */
const MAX_ENDINGS = 64;
/** FTS5 compares each place of each word of a phrase: a phrase of 320 words in a hexdump of 30 kB takes it 65 ms. */
const MAX_PHRASES = 4;
const MAX_PHRASE_WORDS = 4;
/** Characters of the beginnings that the index keeps lists of. */
const KEPT_PREFIX = 2;

/**
 * What is asked of the index for one search. Each statement that comes of it takes a time that does not grow with the query: no phrases over
 * a range of rows, and no beginnings of words whose lists would have to be merged first. It finds all that fits, and some that does not.
 */
export class WordQuery {
  readonly #statements: Statements;
  readonly #words: readonly string[];
  readonly #phrases: readonly string[];
  /** The beginning whose words are still being listed. */
  readonly #prefix: string | undefined;
  readonly #endings: string[] = [];
  #expression: string | undefined;

  constructor(statements: Statements, terms: readonly Term[]) {
    this.#statements = statements;
    const whole = terms.flatMap(({ words, isPrefix }) => (isPrefix ? words.slice(0, -1) : words));
    // Long words are rare.
    this.#words = [...new Set(whole)].toSorted((a, b) => b.length - a.length).slice(0, MAX_WORDS);
    this.#phrases = terms
      .map(({ words, isPrefix }) => words.slice(0, isPrefix ? -1 : undefined).slice(0, MAX_PHRASE_WORDS))
      .filter(({ length }) => length > 1)
      .map((words) => quoted(words.join(' ')))
      .slice(0, MAX_PHRASES);
    this.#prefix = terms.find(({ isPrefix }) => isPrefix)?.words.at(-1);
  }

  /** For ranges of rows: the words alone. `undefined`: they are not listed yet, ask again; `''`: nothing fits. */
  get words(): string | undefined {
    this.#expression ??= this.#write();
    return this.#expression;
  }

  /** For one row that has the words: the phrases, as far as FTS5 is asked for them. Absent: there are none. */
  get phrases(): string | undefined {
    return this.#phrases.length === 0 ? undefined : this.#phrases.join(' AND ');
  }

  #write(): string | undefined {
    const pieces = this.#words.map(quoted);
    if (this.#prefix === undefined) return pieces.join(' AND ');
    const ending = this.#writePrefix(this.#prefix);
    return ending === undefined || ending === '' ? ending : [...pieces, ending].join(' AND ');
  }

  #writePrefix(prefix: string): string | undefined {
    const first = [...prefix].slice(0, KEPT_PREFIX).join('');
    if (first === prefix) return `${quoted(prefix)} *`;
    const listed = this.#list(prefix);
    if (listed === 'more') return undefined;
    if (this.#endings.length > MAX_ENDINGS) return `${quoted(first)} *`;
    return this.#endings.length === 0 ? '' : `(${this.#endings.map(quoted).join(' OR ')})`;
  }

  /** Lists words with this beginning for a slice. */
  #list(prefix: string): 'done' | 'more' {
    const end = performance.now() + SLICE_MS;
    while (this.#endings.length <= MAX_ENDINGS) {
      const last = this.#endings.at(-1);
      const row = this.#statements.get(
        'SELECT term FROM temp.word_places WHERE term >= ? AND term <= ? LIMIT 1',
        // The next that there can be: FTS5 would walk over all places of the last one.
        last === undefined ? prefix : `${last}\0`,
        `${prefix}\u{10ffff}`,
      );
      if (row === undefined) return 'done';
      this.#endings.push(text(row, 'term'));
      if (performance.now() > end) return 'more';
    }
    return 'done';
  }
}

/** Words have no quotes in them: nothing comes to mean anything. */
const quoted = (words: string): string => `"${words}"`;
