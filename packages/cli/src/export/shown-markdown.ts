import type { MarkedToken, Token, Tokens } from 'marked';
import { boundedTokens, known } from '../render/bounded-markdown.ts';
import { oneLine } from '../render/plain-text.ts';

/** Levels of the page's own headings. */
const OWN_LEVELS = 3;

/**
 * Converts Markdown of a user or a model for use inside a larger page: all text stays visible, and no markup affects the text after it. HTML
 * and link definitions become text, reference links become inline links, images become links, headings become lower than the headings
 * of the page, and an open fence is closed. If the result still has such markup, returns the source in a code block.
 */
export function shownMarkdown(text: string): string {
  const blocks = boundedTokens(text);
  const last = blocks.at(-1);
  const closing = last?.type === 'code' ? closingFence(last.raw) : '';
  const shown = blocks.map(shownBlock).join('').trimEnd() + closing;
  return isHeld(boundedTokens(shown)) ? shown : fenced(text.trimEnd(), 'markdown');
}

function shownBlock(token: MarkedToken): string {
  switch (token.type) {
    case 'space':
      return token.raw;
    case 'code':
      // Renderers hide the info string after the language.
      return /\s/.test(token.lang ?? '') ? `${inline(token.lang ?? '')}\n\n${token.raw}` : token.raw;
    // A comment or script that is not closed would go on to the end of the page.
    case 'html':
      return `${fenced(token.raw.trimEnd(), 'html')}\n\n`;
    // A definition is invisible, and applies to references in the whole page.
    case 'def':
      return `${inline(token.raw)}\n\n`;
    case 'heading': {
      const depth = Math.min(6, token.depth + OWN_LEVELS);
      const line = withoutMarkup(token)
        .trim()
        .replace(/^#{1,6}(?=\s|$)/, '')
        .replace(/\n[ \t]*(?:=+|-+)$/, '');
      return `${'#'.repeat(depth)} ${line.replace(/\s*\n\s*/g, ' ').trim()}\n\n`;
    }
    default:
      return withoutMarkup(token);
  }
}

/** Whether the tokens have no HTML, definition, image or heading of a level that the page uses. */
function isHeld(tokens: readonly Token[], isTop = true): boolean {
  return known(tokens).every(
    (token) =>
      !['html', 'def', 'image'].includes(token.type) &&
      !(isTop && token.type === 'heading' && token.depth <= OWN_LEVELS) &&
      isHeld(inside(token), false),
  );
}

/** The direct child tokens of a token, in order. */
function inside(token: MarkedToken): readonly Token[] {
  if (token.type === 'list') return token.items;
  if (token.type === 'table') return [token.header, ...token.rows].flat().flatMap((cell) => cell.tokens);
  return ('tokens' in token && token.tokens) || [];
}

/** A part of a block that is not escaped: `shown` replaces `raw`. */
interface Piece {
  readonly raw: string;
  readonly shown: string;
}

/** The source of a block in which HTML and definitions are escaped, and images are links. */
function withoutMarkup(block: MarkedToken): string {
  const { raw } = block;
  let shown = '';
  let at = 0;
  for (const piece of piecesOf(block)) {
    const found = raw.indexOf(piece.raw, at);
    // Quote marks, for instance, can split a piece. Its text is then escaped like other text.
    if (found < 0) continue;
    shown += asText(raw.slice(at, found)) + piece.shown;
    at = found + piece.raw.length;
  }
  return shown + asText(raw.slice(at));
}

/**
 * The start of a link definition (a name without brackets) or of a footnote (a name without spaces). The pattern stops at the colon, because
 * a text may have many starts and a longer search for each would be slow.
 */
const DEFINITION = /^([ \t>*+\-\d.)]*)\[(?=(?:\^[^\]\s]+|(?:[^[\]\\]|\\[^])+)\]:)/gm;

/** Escapes tags, comments, definitions and footnotes, so that they are text. */
const asText = (text: string): string => text.replace(/<(?=[a-z/!?])/gi, '&lt;').replace(DEFINITION, '$1\\[');

function piecesOf(token: MarkedToken): Piece[] {
  switch (token.type) {
    case 'code':
    case 'codespan':
      return token.raw
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .map((line) => ({ raw: line, shown: line }));
    case 'link':
      if (token.raw.startsWith('<')) return [{ raw: token.raw, shown: token.raw }];
      return isByReference(token) ? [{ raw: token.raw, shown: wholeLink(token) }] : piecesIn(token);
    case 'image':
      return [{ raw: token.raw, shown: wholeLink(token) }];
    default:
      return piecesIn(token);
  }
}

const piecesIn = (token: MarkedToken): Piece[] => known(inside(token)).flatMap(piecesOf);

const isByReference = ({ raw }: Tokens.Link): boolean => raw.startsWith('[') && !raw.endsWith(')');

/** An inline link. An image becomes a link, because a page that shows the image would load it from its server. */
function wholeLink({ text, href, type }: Tokens.Link | Tokens.Image): string {
  const label = inline(text) || (type === 'image' ? 'picture' : href);
  return `[${label}](<${href.replace(/[<>\\\s]/g, encodeURIComponent)}>)`;
}

/** The closing fence of an open code block at the end, with its line break; '' if there is none. */
function closingFence(raw: string): string {
  const [, fence = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(raw) ?? [];
  if (fence === '') return '';
  const lines = raw.trimEnd().split('\n');
  const [, end = ''] = (lines.length > 1 && /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(lines.at(-1) ?? '')) || [];
  return end.startsWith(fence) ? '' : `\n${fence}`;
}

/** Longer lines are cut and end in dots. In UTF-16 code units. */
const MAX_LINE_LENGTH = 1_000;

/** A block of code whose fence is longer than any inside. */
export function fenced(body: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(body.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${body}\n${fence}`;
}

/** Text on one line in which nothing is markup. */
export const inline = (text: string): string =>
  oneLine(text, MAX_LINE_LENGTH).replace(/[\\`*_[\]<>#|~&]/g, '\\$&');
