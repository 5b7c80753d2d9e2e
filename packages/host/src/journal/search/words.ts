/** A word of a text: folded as it is compared, and where it stands, in UTF-16 units. */
export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Longer words are compared by their beginning, in UTF-16 units: nobody types more, and to fold a word of 32,768 combining marks takes
 * longer than all else that an index does with it.
 */
const MAX_WORD_UNITS = 256;

const ASCII = /^[\0-\x7f]*$/;
/** Folded characters that are words of their own, which come again and again. */
const aloneFolds = new Map<string, string>();
const MAX_ALONE_FOLDS = 8_192;

/** What a character is to words. `alone`: a word by itself, as in scripts that are written without spaces between words. */
type CharacterClass = 'separator' | 'letter' | 'mark' | 'alone';

const CLASSES = ['separator', 'letter', 'mark', 'alone'] as const;
const ALONE = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/u;

/** One more than the index in `CLASSES`; 0: not looked up yet. To ask regular expressions for each character takes 50 times as long. */
const known = new Uint8Array(0x110000);

/** The words of a text, in order. Upper case, accents and forms of the same letter are folded; punctuation and `_` part words. */
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

/** The text with its words folded and spaces between them: every run of ASCII letters and digits, and of all else, is a word then. */
export function spaced(text: string): string {
  const words: string[] = [];
  for (const word of wordsOf(text)) words.push(word.text);
  return words.join(' ');
}

/** Whether the last word of what somebody types may be the beginning of a longer one. */
export function mayBegin(word: string): boolean {
  return unitsAt(word, 0) < word.length && classOf(word, 0) !== 'alone';
}

/** Where a run of letters, each with its marks, ends. */
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
  // The marks of Japanese tell letters apart; accents are left out.
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
