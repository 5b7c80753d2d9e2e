import type { Term } from '../search/query.ts';
import { wordsOf } from '../search/words.ts';

/** Limit of words in one query. `search` checks further words in the text of the found turns. */
const MAX_WORDS = 8;

/**
 * The words of texts as lexemes of a cell. The index of words is one for all cells; with the number of its cell before each word, a search
 * visits only the words of its own cell.
 */
export function lexemesOf(cell: number, texts: readonly string[]): string[] {
  const lexemes = new Set<string>();
  for (const text of texts) for (const word of wordsOf(text)) lexemes.add(`${cell}:${word.text}`);
  return [...lexemes];
}

/** A `tsquery` that all matches satisfy. Some other turns satisfy it too, because it ignores the order of words. */
export function queryOf(cell: number, terms: readonly Term[]): string {
  const whole = terms.flatMap(({ words, isPrefix }) => (isPrefix ? words.slice(0, -1) : words));
  // Long words are rare, so they reduce the number of rows most.
  const chosen = [...new Set(whole)].toSorted((a, b) => b.length - a.length).slice(0, MAX_WORDS);
  const prefix = terms.find(({ isPrefix }) => isPrefix)?.words.at(-1);
  // Words contain only letters, marks and digits, so nothing ends the quotes.
  const pieces = chosen.map((word) => `'${cell}:${word}'`);
  if (prefix !== undefined) pieces.push(`'${cell}:${prefix}':*`);
  return pieces.join(' & ');
}
