import { mayBegin, wordsOf } from './words.ts';

/** Words that stand next to each other. */
export interface Term {
  /** Folded. */
  readonly words: readonly string[];
  /** The last word may be the beginning of one. */
  readonly isPrefix: boolean;
}

/** So many terms count; what follows them is left out. */
const MAX_TERMS = 32;

/**
 * What somebody types, as terms that all have to be found: words, and phrases in quotes. The last word counts as a beginning, unless it
 * is quoted. Nothing else has a meaning; a query without any word has no terms.
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
