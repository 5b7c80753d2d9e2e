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
