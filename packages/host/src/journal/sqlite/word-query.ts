import { SLICE_MS } from '../../lib/slice-scheduler.ts';
import type { Term } from '../search/query.ts';
import { type Statements, text } from './statements.ts';

/** Words that one statement searches. `search` checks the others in the text of the found turns. */
const MAX_WORDS = 8;
/** Limit of words with a prefix. Beyond it, the statement searches all words with its first two characters. */
const MAX_ENDINGS = 64;
/** Limits of phrases. FTS5 compares each place of each word: a phrase of 320 words takes 65 ms in a hexdump of 30 kB. */
const MAX_PHRASES = 4;
const MAX_PHRASE_WORDS = 4;
/** Length of the prefixes that the index has lists of. */
const KEPT_PREFIX = 2;

/**
 * The FTS5 expressions of one search. The time of each statement does not grow with the query: it searches no phrases over a range of rows,
 * and no prefixes whose lists SQLite would have to merge first. It finds all matches, and some turns that do not match.
 */
export class WordQuery {
  readonly #statements: Statements;
  readonly #words: readonly string[];
  readonly #phrases: readonly string[];
  /** The prefix whose words are being listed. */
  readonly #prefix: string | undefined;
  readonly #endings: string[] = [];
  #expression: string | undefined;

  constructor(statements: Statements, terms: readonly Term[]) {
    this.#statements = statements;
    const whole = terms.flatMap(({ words, isPrefix }) => (isPrefix ? words.slice(0, -1) : words));
    // Long words are rare, so they narrow the search most.
    this.#words = [...new Set(whole)].toSorted((a, b) => b.length - a.length).slice(0, MAX_WORDS);
    this.#phrases = terms
      .map(({ words, isPrefix }) => words.slice(0, isPrefix ? -1 : undefined).slice(0, MAX_PHRASE_WORDS))
      .filter(({ length }) => length > 1)
      .map((words) => quoted(words.join(' ')))
      .slice(0, MAX_PHRASES);
    this.#prefix = terms.find(({ isPrefix }) => isPrefix)?.words.at(-1);
  }

  /** Expression for ranges of rows: only words. `undefined` while a prefix is being listed: ask again. `''`: nothing matches. */
  get words(): string | undefined {
    this.#expression ??= this.#write();
    return this.#expression;
  }

  /** Expression for one row that has the words: the phrases. `undefined` without phrases. */
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

  /** Lists words with this prefix, for one slice. */
  #list(prefix: string): 'done' | 'more' {
    const end = performance.now() + SLICE_MS;
    while (this.#endings.length <= MAX_ENDINGS) {
      const last = this.#endings.at(-1);
      const row = this.#statements.get(
        'SELECT term FROM temp.word_places WHERE term >= ? AND term <= ? LIMIT 1',
        // The next possible word. With `>` FTS5 would walk over all places of the last word.
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

/** Words contain no quotes, so none of them is read as an operator. */
const quoted = (words: string): string => `"${words}"`;
