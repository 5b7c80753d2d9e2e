import { mayBegin, wordsOf } from './words.ts';

/** Adjacent words. */
export interface Term {
  /** Folded. */
  readonly words: readonly string[];
  /** Whether the last word may be a prefix. */
  readonly isPrefix: boolean;
}

/** Limit of terms; the rest of the query is ignored. */
const MAX_TERMS = 32;

/**
 * Parses a typed query into terms, which all must match: words, and phrases in quotes. The last word is a prefix unless it is quoted.
 * Other characters have no meaning. A query without a word has no terms.
 */
export function parseQuery(query: string): Term[] {
  const pieces = [...query.matchAll(/"([^"]*)"?|[^\s"]+/g)].flatMap(({ 0: all, 1: quoted }) => {
    const words = [...wordsOf(quoted ?? all)].map(({ text }) => text);
    return words.length === 0 ? [] : [{ words, isQuoted: quoted !== undefined }];
  });
  return pieces.slice(0, MAX_TERMS).map(({ words, isQuoted }, index) => ({
    words,
    isPrefix: index === pieces.length - 1 && !isQuoted && mayBegin(words.at(-1) ?? ''),
  }));
}
