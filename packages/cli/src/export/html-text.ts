import type { MarkedToken, Token, Tokens } from 'marked';
import { boundedTokens, known } from '../render/bounded-markdown.ts';
import { plain } from '../render/plain-text.ts';

const HIGHLIGHT_NAMES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text in HTML, in attributes too: without control characters, and nothing in it is markup. */
export const escaped = (text: string): string =>
  plain(text).replace(/[&<>"']/g, (character) => HIGHLIGHT_NAMES[character] ?? '');

/** The same for text of Markdown, whose character references stand for characters. */
const escapedOnce = (text: string): string =>
  plain(text).replace(/&(?!#?\w{1,31};)|[<>"']/g, (character) => HIGHLIGHT_NAMES[character] ?? '');

/** Links go to where a person expects one to go, and nothing else is a link. */
const LINK = /^(?:https?:\/\/|mailto:)[^\s]+$/i;

/** Markdown as HTML: its own HTML is text, pictures are links, and only those links lead anywhere that begin like a web address. */
export const markdownHtml = (source: string): string => blocksHtml(boundedTokens(plain(source)));

const blocksHtml = (tokens: readonly Token[] | undefined): string => known(tokens).map(blockHtml).join('\n');

function blockHtml(token: MarkedToken): string {
  switch (token.type) {
    case 'space':
      return '';
    case 'def':
      return `<p>${escaped(token.raw.trim())}</p>`;
    case 'heading': {
      // The page's own headings go down to the third level.
      const level = Math.min(6, token.depth + 3);
      return `<h${level}>${inlineHtml(token.tokens)}</h${level}>`;
    }
    case 'hr':
      return '<hr>';
    case 'code':
      return `${aboutCode(token)}<pre><code>${escaped(token.text.replace(/\n$/, ''))}</code></pre>`;
    case 'blockquote':
      return `<blockquote>${blocksHtml(token.tokens)}</blockquote>`;
    case 'list':
      return listHtml(token);
    case 'table':
      return tableHtml(token);
    case 'html':
      return `<p>${escaped(token.raw.trimEnd())}</p>`;
    case 'paragraph':
      return `<p>${inlineHtml(token.tokens)}</p>`;
    default:
      return inlineHtml('tokens' in token && token.tokens !== undefined ? token.tokens : [token]);
  }
}

function listHtml({ ordered, start, items }: Tokens.List): string {
  const tag = ordered ? 'ol' : 'ul';
  const first = ordered && typeof start === 'number' && start !== 1 ? ` start="${start}"` : '';
  const entries = items.map(({ task, checked, tokens }) => {
    const box = task ? `${checked === true ? '☑' : '☐'} ` : '';
    return `<li>${box}${blocksHtml(tokens)}</li>`;
  });
  return `<${tag}${first}>${entries.join('')}</${tag}>`;
}

function tableHtml({ header, rows }: Tokens.Table): string {
  const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td'): string =>
    `<tr>${cells.map(({ tokens }) => `<${tag}>${inlineHtml(tokens)}</${tag}>`).join('')}</tr>`;
  const body = rows.map((cells) => row(cells, 'td')).join('');
  return `<div class="wide"><table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table></div>`;
}

const inlineHtml = (tokens: readonly Token[] | undefined): string => known(tokens).map(oneInline).join('');

function oneInline(token: MarkedToken): string {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return `<${token.type}>${inlineHtml(token.tokens)}</${token.type}>`;
    case 'codespan':
      return `<code>${escaped(token.text)}</code>`;
    case 'br':
      return '<br>';
    case 'link':
      return linked(token, inlineHtml(token.tokens));
    case 'image':
      return linked(token, escaped(token.text || 'picture'));
    case 'checkbox':
      return '';
    case 'escape':
      return escaped(token.text);
    case 'text':
      return token.tokens === undefined ? escapedOnce(token.text) : inlineHtml(token.tokens);
    default:
      return escaped(token.raw);
  }
}

/** Of an address that is only shown, and may be a whole picture. */
const SHOWN_LENGTH = 200;

/** With what a browser would not show: where it leads when that is no link here, and its title. */
function linked({ href, title }: Tokens.Link | Tokens.Image, label: string): string {
  const about = typeof title === 'string' && title !== '' ? ` (${escapedOnce(title)})` : '';
  if (LINK.test(href))
    return `<a href="${escapedOnce(href)}" rel="noopener noreferrer nofollow">${label}</a>${about}`;
  const cut = href.length > SHOWN_LENGTH ? `${href.slice(0, SHOWN_LENGTH)}…` : href;
  return `${label}${cut === '' ? '' : ` (${escaped(cut)})`}${about}`;
}

/** The info string of a code fence, if it holds more than a language. */
const aboutCode = ({ lang = '' }: Tokens.Code): string =>
  /\s/.test(lang.trim()) ? `<p class="note">${escapedOnce(lang)}</p>\n` : '';
