import type { Color, Line, Style } from './line.ts';
import { steady } from './steady.ts';

const colorCodes: Readonly<Record<Color, number>> = {
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
  if (color !== undefined && hasColors) codes.push(colorCodes[color]);
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
