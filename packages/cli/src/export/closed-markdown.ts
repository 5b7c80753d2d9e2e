import type { MarkedToken, Token } from 'marked';
import { boundedTokens, known } from '../render/bounded-markdown.ts';

/**
 * Markdown that ends what it begins, so that more can follow it, or fold it: a fence that was left open is closed, HTML is code to be read, and
 * no tag ends a fold around it.
 */
export function closedMarkdown(text: string): string {
  const blocks = boundedTokens(text);
  const last = blocks.at(-1);
  const closing = last?.type === 'code' ? closingFence(last.raw) : '';
  return blocks.map(closedBlock).join('').trimEnd() + closing;
}

/** A block of code whose fence is longer than any inside. */
export function fenced(body: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(body.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${body}\n${fence}`;
}

function closedBlock(token: MarkedToken): string {
  const { raw } = token;
  if (token.type === 'code') return raw;
  // A comment or script that is not closed would go on to the end of the page.
  if (token.type === 'html') return `${fenced(raw.trimEnd(), 'html')}\n\n`;
  const text = holdsHtml(token) ? raw.replace(/^([ \t>*+\-\d.)]*)<(?=[a-z/!?])/gim, '$1&lt;') : raw;
  return text.replace(/<(?=\/?(?:details|summary)\b)/gi, '&lt;');
}

/** Whether a list or a quote has a block of HTML in it. */
function holdsHtml(token: MarkedToken): boolean {
  const inside: readonly Token[] =
    token.type === 'list' ? token.items : ('tokens' in token && token.tokens) || [];
  return known(inside).some((each) => (each.type === 'html' && each.block) || holdsHtml(each));
}

/** What closes a block of code that stands last, with its line break; '' when nothing has to. */
function closingFence(raw: string): string {
  const [, fence = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(raw) ?? [];
  if (fence === '') return '';
  const lines = raw.trimEnd().split('\n');
  const [, end = ''] = (lines.length > 1 && /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(lines.at(-1) ?? '')) || [];
  return end.startsWith(fence) ? '' : `\n${fence}`;
}
