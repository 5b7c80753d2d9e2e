/** What a character is to words. `alone`: a word by itself, as in scripts that are written without spaces between words. */
export type CharacterClass = 'separator' | 'letter' | 'mark' | 'alone';

const CLASSES = ['separator', 'letter', 'mark', 'alone'] as const;
const ALONE = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/u;

/** One more than the index in `CLASSES`; 0: not looked up yet. To ask regular expressions for each character takes 50 times as long. */
const known = new Uint8Array(0x110000);

/** The class of the character at a place of a text, in UTF-16 units. */
export function classOf(text: string, at: number): CharacterClass {
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
