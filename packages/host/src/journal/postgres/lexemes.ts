import type { Term } from '../search/query.ts';
import { wordsOf } from '../search/words.ts';

/** Limit of words in one query. `search` checks further words in the text of the found turns. */
const MAX_WORDS = 8;

/**
 * Longer words are indexed by their first bytes. A `tsvector` stores the length of a lexeme modulo 2,048, and `array_to_tsvector` does not check it: a
 * dump with such a lexeme cannot be restored. Folding makes a word up to 11 times as long.
 */
const MAX_WORD_BYTES = 512;
/**
 * Limit of the lexemes of one row. A `tsvector` stores the place of a lexeme modulo 1 MiB, and `array_to_tsvector` does not check it either. Only
 * texts that are made for it reach the limit; their further words are not found.
 */
const MAX_ROW_BYTES = 1_000_000;

const encoder = new TextEncoder();
const wordBytes = new Uint8Array(MAX_WORD_BYTES);

/**
 * The words of texts as lexemes of a cell. The index of words is one for all cells; with the number of its cell before each word, a search
 * visits only the words of its own cell.
 */
export function lexemesOf(cell: number, texts: readonly string[]): string[] {
  const lexemes = new Set<string>();
  let left = MAX_ROW_BYTES;
  for (const text of texts) {
    for (const word of wordsOf(text)) {
      const lexeme = lexemeOf(cell, word.text);
      if (lexemes.has(lexeme)) continue;
      left -= Buffer.byteLength(lexeme);
      if (left < 0) return [...lexemes];
      lexemes.add(lexeme);
    }
  }
  return [...lexemes];
}

function lexemeOf(cell: number, word: string): string {
  // Writes whole characters only.
  const { read } = encoder.encodeInto(word, wordBytes);
  return `${cell}:${word.slice(0, read)}`;
}

/** A `tsquery` that all matches satisfy. Some other turns satisfy it too, because it ignores the order of words. */
export function queryOf(cell: number, terms: readonly Term[]): string {
  const whole = terms.flatMap(({ words, isPrefix }) => (isPrefix ? words.slice(0, -1) : words));
  // Long words are rare, so they reduce the number of rows most.
  const chosen = [...new Set(whole)].toSorted((a, b) => b.length - a.length).slice(0, MAX_WORDS);
  const prefix = terms.find(({ isPrefix }) => isPrefix)?.words.at(-1);
  // Words contain only letters, marks and digits, so nothing ends the quotes.
  const pieces = chosen.map((word) => `'${lexemeOf(cell, word)}'`);
  if (prefix !== undefined) pieces.push(`'${lexemeOf(cell, prefix)}':*`);
  return pieces.join(' & ');
}
