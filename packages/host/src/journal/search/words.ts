/** A word of a text: folded as it is compared, and where it stands, in UTF-16 units. */
export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Written without spaces between words: each character is a word, and a part of a text is found as a phrase. */
const ALONE = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]`;
const WORD_PATTERN = new RegExp(
  String.raw`(?=[\p{L}\p{N}])(?:${ALONE}\p{M}*|(?:(?!${ALONE})[\p{L}\p{N}]\p{M}*)+)`,
  'gu',
);
/** Letters and digits run on without a break through what is not ASCII. */
const MIXED_RUN = /[A-Za-z0-9]*[^\0-\x7f]+(?:[A-Za-z0-9]*[^\0-\x7f]+)*[A-Za-z0-9]*/g;
const ASCII = /^[\0-\x7f]*$/;
const STANDS_ALONE = new RegExp(`^${ALONE}`, 'u');

/** The words of a text, in order. Upper case, accents and forms of the same letter are folded; punctuation and `_` part words. */
export function* wordsOf(text: string): Generator<Word, void, undefined> {
  for (const { 0: found, index } of text.matchAll(WORD_PATTERN)) {
    const folded = fold(found);
    if (folded !== '') yield { text: folded, start: index, end: index + found.length };
  }
}

/** The text with its words folded and spaces between them: every run of ASCII letters and digits, and of all else, is a word then. */
export function spaced(text: string): string {
  if (ASCII.test(text)) return text;
  return text.replaceAll(MIXED_RUN, (run) => ` ${[...wordsOf(run)].map((word) => word.text).join(' ')} `);
}

/** Whether the last word of what somebody types may be the beginning of a longer one. */
export function mayBegin(word: string): boolean {
  return word.length > 1 && !STANDS_ALONE.test(word);
}

function fold(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  // The marks of Japanese tell letters apart; accents are left out.
  if (STANDS_ALONE.test(word)) return word.normalize('NFKC').toLowerCase().replaceAll(/\P{L}/gu, '') || word;
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
