import type { Term } from './query.ts';
import { wordsOf } from './words.ts';

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

/** The kind of text that a hit is in. */
export type SearchField = 'title' | 'message' | 'response';

/** A match in one text, and its relevance. */
export interface Match {
  readonly field: SearchField;
  /** About 120 characters as one line; an ellipsis stands where text is left out. */
  readonly snippet: string;
  /** Start and end of each match in the snippet, in UTF-16 units, in order. */
  readonly matches: readonly (readonly [start: number, end: number])[];
  /** Higher is better. */
  readonly relevance: number;
}

interface Found {
  readonly term: number;
  readonly start: number;
  readonly end: number;
}

const SNIPPET_UNITS = 120;
/** Length of the snippet before its first match. */
const LEAD_UNITS = 30;
/** Limit of matches in one text. */
const MAX_FOUND = 200;
const WEIGHTS = { title: 3, message: 2, response: 1 } satisfies Record<SearchField, number>;

/** Matches terms against the fields of one document. `undefined` when a term is in none of them. */
export function matchFields(
  fields: Readonly<Partial<Record<SearchField, string>>>,
  terms: readonly Term[],
): Match | undefined {
  const seen = new Set<number>();
  let best: Match | undefined;
  for (const field of ['title', 'message', 'response'] as const) {
    const text = fields[field];
    if (text === undefined) continue;
    const found = find(text, terms);
    for (const { term } of found) seen.add(term);
    const match = found.length === 0 ? undefined : describe(field, text, found, terms.length);
    if (match !== undefined && (best === undefined || match.relevance > best.relevance)) best = match;
  }
  return seen.size === terms.length ? best : undefined;
}

/** Takes one step for each word and term, also for words that repeat. */
function find(text: string, terms: readonly Term[]): Found[] {
  const finders = terms.map((term) => new TermFinder(term));
  const starts: number[] = [];
  const found: Found[] = [];
  const seen = new Set<number>();
  for (const word of wordsOf(text)) {
    starts.push(word.start);
    for (const [term, finder] of finders.entries()) {
      const isFound = finder.next(word.text);
      // Past the limit, only terms that were not found yet count.
      if (!isFound || (found.length >= MAX_FOUND && seen.has(term))) continue;
      seen.add(term);
      found.push({ term, start: starts.at(-finder.wordCount) ?? 0, end: word.end });
    }
    if (found.length >= MAX_FOUND && seen.size === terms.length) break;
  }
  return found.toSorted((a, b) => a.start - b.start || a.term - b.term);
}

function describe(field: SearchField, text: string, found: readonly Found[], termCount: number): Match {
  let from = 0;
  let most = 0;
  for (const { start } of found) {
    // The first match is part of the snippet, whatever its length.
    const inside = found.filter(
      (each) =>
        each.start === start || (each.start > start && each.end <= start + SNIPPET_UNITS - LEAD_UNITS),
    );
    const kinds = new Set(inside.map(({ term }) => term)).size;
    if (kinds <= most) continue;
    most = kinds;
    from = start;
    if (most === termCount) break;
  }
  const relevance = WEIGHTS[field] + most / termCount + Math.log2(1 + found.length) / 8;
  return { field, ...cut(text, from, found), relevance };
}

function cut(text: string, from: number, found: readonly Found[]): Pick<Match, 'snippet' | 'matches'> {
  const whole = text.length <= SNIPPET_UNITS;
  const start = whole
    ? 0
    : wordStart(text, Math.max(0, Math.min(from - LEAD_UNITS, text.length - SNIPPET_UNITS)), from);
  const end = whole ? text.length : safe(text, Math.min(text.length, start + SNIPPET_UNITS));
  const head = start > 0 ? '…' : '';
  const shift = head.length - start;
  const matches: [number, number][] = [];
  for (const each of found) {
    // A phrase that is longer than the snippet is marked up to the snippet's end.
    if (each.start < start || each.start >= end) continue;
    const last = matches.at(-1);
    const stop = Math.min(each.end, end) + shift;
    if (last !== undefined && each.start + shift <= last[1]) last[1] = Math.max(last[1], stop);
    else matches.push([each.start + shift, stop]);
  }
  const line = text.slice(start, end).replaceAll(/[\s\p{Cc}]/gu, ' ');
  return { snippet: `${head}${line}${end < text.length ? '…' : ''}`, matches };
}

/** The next beginning of a word from `at`, as long as it lies before `limit`. */
function wordStart(text: string, at: number, limit: number): number {
  if (at === 0) return 0;
  const space = text.slice(at, limit).search(/\s/);
  return space === -1 ? safe(text, at) : at + space + 1;
}

/** A place that does not lie within a pair of surrogates. */
function safe(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
