import { lexer, type MarkedToken, type Token } from 'marked';

/** Levels of quotes and lists that are read as such; the lexer calls itself per level, and a level costs it the text of all below. */
const MAX_LEVELS = 50;

/** Columns that one level of a list takes at least. */
const COLUMNS_PER_LEVEL = 2;

/** What stands before a line's text: marks of quotes and list items, each with what indents it. A line of dashes or stars alone is a rule, and opens no level. */
const MARKS = /^(?![ \t]*([-*])(?:[ \t]*\1)*[ \t]*$)(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)))+/gm;

const MARK = /([ \t]*)(>|[-*+]|\d{1,9}[.)])/g;

/** Every kind of token there is without extensions, which are not used. */
const isKnown = (token: Token): token is MarkedToken => token.type !== '';

/** Tokens whose kind tells their fields. */
export const known = (tokens: readonly Token[] | undefined): MarkedToken[] => (tokens ?? []).filter(isKnown);

/**
 * The blocks of a Markdown text. Never throws: what nests deeper than some 50 levels stands at that level,
 * and a text that the lexer cannot take is paragraphs of plain text.
 */
export function boundedTokens(text: string): MarkedToken[] {
  try {
    return known(lexer(flattened(text), { gfm: true }));
  } catch {
    // The lexer has no errors of its own: what it throws is the end of the stack, and the text can still be read as it is.
    return paragraphs(text);
  }
}

/** The text with no line that opens more levels than are read. */
const flattened = (text: string): string => text.replace(MARKS, flattenedMarks);

function flattenedMarks(marks: string): string {
  // Two levels take three characters at least (`>`, or two columns), so that most lines end here.
  if (marks.length <= MAX_LEVELS) return marks;
  let kept = '';
  let levels = 0;
  for (const { 0: whole, 1: indent = '', 2: mark = '', index } of marks.matchAll(MARK)) {
    const columns = indent.replaceAll('\t', '    ');
    const room = Math.max(0, MAX_LEVELS - levels - 1) * COLUMNS_PER_LEVEL;
    levels += 1 + Math.floor(Math.max(0, columns.length - 1) / COLUMNS_PER_LEVEL);
    // Deeper list items become siblings of the deepest ones; marks that follow are text.
    if (levels > MAX_LEVELS) {
      const rest = marks.slice(index + whole.length);
      return room === 0
        ? `${kept} \\${mark}${rest}`
        : `${kept}${columns.slice(0, room)}${mark}${escapedFirst(rest)}`;
    }
    kept += whole;
  }
  return marks;
}

/** Marks as text: the first one, escaped, makes text of the others. */
const escapedFirst = (marks: string): string => marks.replace(/[>*+.)-]/, '\\$&');

const paragraphs = (source: string): MarkedToken[] =>
  source.split(/(?<=\n[ \t]*\n)/).map((raw) => {
    const text = raw.trim();
    return { type: 'paragraph', raw, text, tokens: [{ type: 'text', raw: text, text, escaped: false }] };
  });
