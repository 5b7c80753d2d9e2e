import { hostileTexts, type SeededRandom } from '@agenthost/testkit';

/** A string that stands for raw JSON text, which no value serializes to. See {@link toFrame}. */
const raw = (text: string): string => `\u0001raw:${text}\u0001`;

const LONG = 20_000;

/** Strings that break some parser, table, terminal or file system. A shell that reads one does no harm. */
const STRINGS = [
  '',
  ' ',
  '.',
  '..',
  '../../etc/passwd',
  '/',
  ':',
  '%',
  '?',
  '#',
  '%2e%2e%2f',
  '%00',
  '%s%n',
  'a/b:c%d?e#f',
  'nul\0inside',
  '\u001b]0;owned\u0007\u001b[2J',
  '\u009b31m',
  '\u202egnp.exe',
  'a\ud800',
  '\udc00b',
  '\ufffd',
  '\u{1f469}\u200d\u{1f469}\u200d\u{1f466}',
  '__proto__',
  'constructor',
  'toJSON',
  'hasOwnProperty',
  'null',
  'NaN',
  '-1',
  '1e999',
  "'; DROP TABLE turns; --",
  '"*" OR NEAR(a b)',
  '{"a":1}',
  '[[',
  '<script>alert(1)</script>',
  'line\nbreak\r\nand\u2028more',
  'x'.repeat(300),
  'é'.repeat(LONG),
  ...hostileTexts.map(({ phrase }) => phrase),
];

const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.5,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 63),
  1e21,
  1e308,
  5e-324,
  raw('1e999'),
  raw('-1e999'),
  raw('123456789012345678901234567890'),
] as const;

/** A random string of this list. */
export const hostileString = (random: SeededRandom): string =>
  random.chance(0.2) ? `${random.pick(TEXTS)}${random.pick(TEXTS)}` : random.pick(TEXTS);
const TEXTS = STRINGS.map((text) => text);

/** A random number, or a value in place of one. */
export const hostileNumber = (random: SeededRandom): unknown => NUMBERS[random.int(NUMBERS.length)];

/** A random value of any type. */
export function hostileValue(random: SeededRandom): unknown {
  switch (random.int(10)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
    case 3:
      return hostileNumber(random);
    case 4:
      return nested(random.pick([3, 60, 130, 2_000]), random.chance(0.5));
    case 5:
      return [];
    case 6:
      return Array.from({ length: random.int(200) }, () => hostileString(random).slice(0, 100));
    case 7:
      return { ['__proto__']: { polluted: true }, constructor: { prototype: { polluted: true } }, toJSON: 1 };
    default:
      return hostileString(random);
  }
}

function nested(depth: number, isList: boolean): unknown {
  const [open, close] = isList ? ['[', ']'] : ['{"a":', '}'];
  return raw(`${open.repeat(depth)}${isList ? '' : '0'}${close.repeat(depth)}`);
}

/** Serializes a message and inserts the raw JSON text of its placeholders. */
export const toFrame = (message: unknown): string =>
  JSON.stringify(message).replace(/"\\u0001raw:(.*?)\\u0001"/g, (_, text: string) =>
    text.replaceAll('\\"', '"'),
  );
