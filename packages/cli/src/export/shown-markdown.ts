import type { MarkedToken, Token, Tokens } from 'marked';
import { boundedTokens, known } from '../render/bounded-markdown.ts';
import { oneLine } from '../render/plain-text.ts';

/** Headings of the page itself go down to the third level. */
const OWN_LEVELS = 3;

/**
 * Markdown of a person or a model as it can stand in a larger page: all of it shows, it ends what it begins, and nothing in it works on what
 * follows. HTML and definitions of links are text, links by reference are whole links, pictures are links to them, headings stand
 * below those of the page, and an open fence is closed. A text that cannot be held that way is shown as its source.
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
      // What stands behind the language does not show.
      return /\s/.test(token.lang ?? '') ? `${inline(token.lang ?? '')}\n\n${token.raw}` : token.raw;
    // A comment or script that is not closed would go on to the end of the page.
    case 'html':
      return `${fenced(token.raw.trimEnd(), 'html')}\n\n`;
    // One that nothing refers to would not show; one that something does would hold for the whole page.
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

/** No HTML, no definitions, no pictures, and no heading among those of the page. */
function isHeld(tokens: readonly Token[], isTop = true): boolean {
  return known(tokens).every(
    (token) =>
      !['html', 'def', 'image'].includes(token.type) &&
      !(isTop && token.type === 'heading' && token.depth <= OWN_LEVELS) &&
      isHeld(inside(token), false),
  );
}

/** The tokens that one consists of, in their order. */
function inside(token: MarkedToken): readonly Token[] {
  if (token.type === 'list') return token.items;
  if (token.type === 'table') return [token.header, ...token.rows].flat().flatMap((cell) => cell.tokens);
  return ('tokens' in token && token.tokens) || [];
}

/** Text in a block that stays as it is, or is put in another way. */
interface Piece {
  readonly raw: string;
  readonly shown: string;
}

/** What a block says, with nothing in it that does not show: as it was written, but for what would be HTML, a definition or a picture. */
function withoutMarkup(block: MarkedToken): string {
  const { raw } = block;
  let shown = '';
  let at = 0;
  for (const piece of piecesOf(block)) {
    const found = raw.indexOf(piece.raw, at);
    // Parted by the marks of a quote, for instance: it is then text like any other.
    if (found < 0) continue;
    shown += asText(raw.slice(at, found)) + piece.shown;
    at = found + piece.raw.length;
  }
  return shown + asText(raw.slice(at));
}

/**
 * What begins a definition, whose name has no other bracket in it, or a footnote, whose name has no space: no end of one is looked for any
 * further, since a text may be full of beginnings.
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

/** A link that needs no definition, to a picture too: one that is shown would be asked for from wherever it lies. */
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

/** Characters of one line: what is longer is cut, with dots. */
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
