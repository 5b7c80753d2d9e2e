import type { Attributes } from './internals.ts';

const FG = {
  inverse: 1 << 26,
  bold: 1 << 27,
  underline: 1 << 28,
  blink: 1 << 29,
  invisible: 1 << 30,
  strike: 1 << 31,
};
const BG = { italic: 1 << 26, dim: 1 << 27, extended: 1 << 28, guarded: 1 << 29, overline: 1 << 30 };
const COLOR = 0x3ffffff;
const MODE = 0x3000000;
const PALETTE_16 = 0x1000000;
const PALETTE_256 = 0x2000000;
const RGB = 0x3000000;

/** A packed colour without the bits of an earlier one that the emulator leaves behind; the flags beside it stay. */
function clean(packed: number): number {
  const mode = packed & MODE;
  if (mode === RGB) return packed;
  return mode === 0 ? packed & ~COLOR : packed & ~0xffff00;
}

/** The background alone: what empty cells have of attributes. */
export const background = ({ bg }: Attributes): number => clean(bg & COLOR);

/** The id of the hyperlink, 0 for none. */
export const linkOf = (attributes: Attributes): number =>
  attributes.bg & BG.extended ? attributes.extended.urlId : 0;

/** Underline style and colour; 0 for none. */
const extra = (attributes: Attributes): number => (attributes.bg & BG.extended ? attributes.extended.ext : 0);

/** What SGR sequences tell apart; unequal for cells that look different. */
export interface Style {
  readonly fg: number;
  readonly bg: number;
  readonly ext: number;
}

/** How a fresh terminal writes. */
export const PLAIN_STYLE: Style = { fg: 0, bg: 0, ext: 0 };

/** The style of a cell, or that of a cursor. */
export const styleOf = (attributes: Attributes): Style => ({
  fg: clean(attributes.fg),
  bg: clean(attributes.bg) & ~BG.guarded,
  ext: extra(attributes),
});

/** An empty cell's style. */
export const blankStyle = (color: number): Style => ({ fg: 0, bg: color, ext: 0 });

/** Whether an attribute set has this style; spares making one. */
export const hasStyle = (attributes: Attributes, style: Style): boolean =>
  attributes.fg === style.fg && (attributes.bg & ~BG.guarded) === style.bg && extra(attributes) === style.ext;

/** The sequence after which a terminal writes in this style, whatever it wrote in before. */
export function sgr({ fg, bg, ext }: Style): string {
  if (fg === 0 && bg === 0 && ext === 0) return '\x1b[m';
  const codes = ['0'];
  if (fg & FG.bold) codes.push('1');
  if (bg & BG.dim) codes.push('2');
  if (bg & BG.italic) codes.push('3');
  if (fg & FG.underline) codes.push(underline((ext >> 26) & 7));
  if (fg & FG.blink) codes.push('5');
  if (fg & FG.inverse) codes.push('7');
  if (fg & FG.invisible) codes.push('8');
  if (fg & FG.strike) codes.push('9');
  if (bg & BG.overline) codes.push('53');
  pushColor(codes, fg, 30, ';');
  pushColor(codes, bg, 40, ';');
  // Only with colons: other terminals take `58;…` apart.
  pushColor(codes, ext, 50, ':');
  return `\x1b[${codes.join(';')}m`;
}

const underline = (style: number): string => (style > 1 ? `4:${style}` : '4');

function pushColor(codes: string[], packed: number, base: number, separator: ':' | ';'): void {
  const value = packed & 0xffffff;
  const mode = packed & MODE;
  if (mode === PALETTE_16 && base < 50) codes.push(String((value & 8 ? base + 60 : base) + (value & 7)));
  else if (mode === PALETTE_16 || mode === PALETTE_256) {
    codes.push([base + 8, 5, value & 0xff].join(separator));
  } else if (mode === RGB) {
    const rgb = [(value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];
    codes.push(separator === ':' ? `${base + 8}:2::${rgb.join(':')}` : [base + 8, 2, ...rgb].join(';'));
  }
}
