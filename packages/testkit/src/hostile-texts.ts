/** A text that is expensive to search, and a phrase of its words. */
export interface HostileText {
  readonly name: string;
  /** A single line. */
  readonly text: string;
  /** Quoted; at most 1,000 characters. */
  readonly phrase: string;
  /** The beginning of one of its words, for texts that have words. */
  readonly beginning: string;
}

const LENGTH = 31_000;
const PHRASE_LENGTH = 960;

/** Repeats `piece` while whole copies fit into `length`. */
const filled = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length));

function repeated(name: string, piece: string, beginning: string, start = ''): HostileText {
  return {
    name,
    text: start + filled(piece, LENGTH),
    phrase: `"${start}${filled(piece, PHRASE_LENGTH)}"`,
    beginning,
  };
}

/** Different words with the same beginning. */
function numbered(name: string, beginning: string): HostileText {
  const words = Array.from(
    { length: 3_500 },
    (_, index) => `${beginning}${index.toString(36).padStart(3, '0')}`,
  );
  return { name, text: words.join(' '), phrase: `"${words.slice(0, 120).join(' ')}"`, beginning };
}

/** Texts of about 31,000 characters: hex dumps, repeated words, non-Latin scripts, combining marks. */
export const hostileTexts: readonly HostileText[] = [
  repeated('a hexdump', '00 ', '00'),
  repeated('one letter, parted', 'a ', 'a'),
  repeated('one letter, in one word', 'a', 'aaaaa'),
  repeated('a word of ASCII behind another letter', 'abcdefghij', 'abcdefg', 'é '),
  repeated('one character of Japanese', 'あ', 'あ'),
  repeated('a sentence of Japanese', '全文検索の機能を追加してください。', '全文'),
  repeated('letters of two scripts in turn', 'aあ', 'aあ'),
  repeated('combining marks on one letter', '\u0301', 'a', 'a'),
  repeated('combining marks of several classes', '\u0301\u0327\u0345', 'a', 'a'),
  repeated('letters that unfold into many', 'ﷺ', 'صلى'),
  repeated('emoji', '👩‍👩‍👧🥖', '🥖'),
  repeated('halves of characters', '\ud83d \udc69', '\ud83d'),
  repeated('words with accents', 'été naïve ', 'ete'),
  repeated('quotes and operators', '"a" OR NEAR(b*) ', 'ne'),
  numbered('many words with one beginning', 'aaaa'),
];

/** Characters and parts of characters that separate words, join them, or change each other. */
export const HOSTILE_CHARACTERS: readonly string[] = [
  ...['a', 'B', '0', '½', '_', '-', ' ', '"', '*', '\0', '\n', '.', 'é', 'ß', 'İ', 'ﷺ', 'Ａ', '𝔘', '𐌰'],
  ...['あ', 'ガ', 'ー', '漢', '㊀', '한', '\u1100', '\u1161', '\u3099', '々', '〆', 'ｱ', '𠮷'],
  ...[
    '\u0301',
    '\u0345',
    '\u20e3',
    '\ufe0f',
    '\u200d',
    '\u00ad',
    '🥖',
    '👩‍👩‍👧',
    '\ud83d',
    '\udc69',
    '\ufeff',
  ],
];
