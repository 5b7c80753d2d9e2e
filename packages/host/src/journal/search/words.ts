/** A word of a text: its folded form, and its place in UTF-16 units. */
export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Longer words are compared by their first UTF-16 units. No query is longer, and folding a word of 32,768 combining marks takes longer
 * than the rest of indexing.
 */
const MAX_WORD_UNITS = 256;

const ASCII = /^[\0-\x7f]*$/;
/** Cache of folded characters that are words of their own. */
const aloneFolds = new Map<string, string>();
const MAX_ALONE_FOLDS = 8_192;

/** The role of a character in words. `alone`: a word of its own, as in scripts without spaces between words. */
type CharacterClass = 'separator' | 'letter' | 'mark' | 'alone';

const CLASSES = ['separator', 'letter', 'mark', 'alone'] as const;
const ALONE = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/u;

/** By code point: one more than the index in `CLASSES`; 0 when not looked up yet. Regular expressions for each character take 50 times as long. */
const known = new Uint8Array(0x110000);

/** The words of a text, in order. Case, accents and forms of the same letter are folded; punctuation and `_` separate words. */
export function* wordsOf(text: string): Generator<Word, void, undefined> {
  for (let at = 0; at < text.length; ) {
    const first = classOf(text, at);
    if (first !== 'letter' && first !== 'alone') {
      at += unitsAt(text, at);
      continue;
    }
    const end = first === 'alone' ? marksEnd(text, at + unitsAt(text, at)) : runEnd(text, at);
    const folded = fold(text.slice(at, Math.min(end, at + MAX_WORD_UNITS)), first);
    if (folded !== '') yield { text: folded, start: at, end };
    at = end;
  }
}

/** The folded words of a text, joined by spaces: the form in which FTS5 takes them. */
export function spaced(text: string): string {
  const words: string[] = [];
  for (const word of wordsOf(text)) words.push(word.text);
  return words.join(' ');
}

/** Whether the last word of a typed query may be a prefix. */
export function mayBegin(word: string): boolean {
  return unitsAt(word, 0) < word.length && classOf(word, 0) !== 'alone';
}

/** The end of a run of letters, each with its marks. */
function runEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && classOf(text, at) === 'letter') at = marksEnd(text, at + unitsAt(text, at));
  return at;
}

function marksEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && classOf(text, at) === 'mark') at += unitsAt(text, at);
  return at;
}

/** 2 for a pair of surrogates. */
function unitsAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 0xd800 || unit > 0xdbff) return 1;
  const next = text.charCodeAt(at + 1);
  return next >= 0xdc00 && next <= 0xdfff ? 2 : 1;
}

function fold(word: string, first: CharacterClass): string {
  if (ASCII.test(word)) return word.toLowerCase();
  if (first !== 'alone') {
    return word
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, '');
  }
  const known = aloneFolds.get(word);
  if (known !== undefined) return known;
  // Japanese marks distinguish letters, so they stay; accents are removed.
  const folded = word.normalize('NFKC').toLowerCase().replaceAll(/\P{L}/gu, '') || word;
  if (aloneFolds.size >= MAX_ALONE_FOLDS) aloneFolds.clear();
  if (word.length <= 2) aloneFolds.set(word, folded);
  return folded;
}

/** The class of the character at a place of a text, in UTF-16 units. */
function classOf(text: string, at: number): CharacterClass {
  const point = text.codePointAt(at) ?? 0;
  const index = known[point] ?? 0;
  return CLASSES[index - 1] ?? lookUp(point);
}

function lookUp(point: number): CharacterClass {
  const found = classify(String.fromCodePoint(point));
  known[point] = CLASSES.indexOf(found) + 1;
  return found;
}

function classify(character: string): CharacterClass {
  if (/\p{M}/u.test(character)) return 'mark';
  if (!/[\p{L}\p{N}]/u.test(character)) return 'separator';
  return ALONE.test(character) ? 'alone' : 'letter';
}
