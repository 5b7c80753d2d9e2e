import { cellsOf } from '../../render/plain-text.ts';

/** How text looks. Absent fields: as the terminal has it. */
export interface Style {
  readonly bold?: true;
  readonly dim?: true;
  readonly italic?: true;
  readonly underline?: true;
  readonly strike?: true;
  readonly inverse?: true;
  readonly color?: Color;
}

/** The colours that every terminal has, in the reader's own palette. */
export type Color = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'gray';

/** A stretch of text that looks the same. Its text has nothing in it that a terminal obeys. */
export interface Span {
  readonly text: string;
  readonly style?: Style;
}

/** One line of a screen. */
export type Line = readonly Span[];

export const EMPTY_LINE: Line = [];

/** A line of one look. */
export const line = (text: string, style?: Style): Line =>
  text === '' ? EMPTY_LINE : [style === undefined ? { text } : { text, style }];

/** A stretch of text. */
export const span = (text: string, style?: Style): Span => (style === undefined ? { text } : { text, style });

const COLOR_CODES: Readonly<Record<Color, number>> = {
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
  gray: 90,
};

function codesOf(
  { bold, dim, italic, underline, inverse, strike, color }: Style,
  hasColors: boolean,
): number[] {
  const codes: number[] = [];
  if (bold) codes.push(1);
  if (dim) codes.push(2);
  if (italic) codes.push(3);
  if (underline) codes.push(4);
  if (inverse) codes.push(7);
  if (strike) codes.push(9);
  if (color !== undefined && hasColors) codes.push(COLOR_CODES[color]);
  return codes;
}

/** A line as a terminal takes it. Without colours, what is bold, underlined or inverse stays so. */
export function toAnsi(spans: Line, hasColors: boolean): string {
  let text = '';
  for (const { text: said, style } of spans) {
    const words = steady(said);
    const codes = style === undefined ? [] : codesOf(style, hasColors);
    text += codes.length === 0 ? words : `\u001b[${codes.join(';')}m${words}\u001b[0m`;
  }
  return text;
}

const segmenter = new Intl.Segmenter();

/** Characters that are drawn of several: skin tones, joined people, keycaps, and what a selector makes an emoji of. */
const COMPOSED_CHARACTER = /\u200d|\u20e3|\ufe0f|\p{Emoji_Modifier}/u;

/**
 * Text that takes the same cells in every terminal: terminals disagree on what emoji of several characters take, and one cell too
 * many breaks the whole screen. Only the first character of such an emoji stays, and a space where it is narrower.
 */
export function steady(text: string): string {
  if (!COMPOSED_CHARACTER.test(text)) return text;
  let shown = '';
  for (const { segment } of segmenter.segment(text)) {
    if (!COMPOSED_CHARACTER.test(segment)) {
      shown += segment;
      continue;
    }
    const [first = ''] = segment;
    shown += first + ' '.repeat(Math.max(0, cellsOf(segment) - cellsOf(first)));
  }
  return shown;
}
