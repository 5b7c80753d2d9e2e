import type { MarkedToken, Token, Tokens } from 'marked';
import { known } from '../../render/bounded-markdown.ts';
import { EMPTY_LINE, type Line, line, span } from '../text/line.ts';
import { wrapLine, wrapText } from '../text/wrap.ts';
import { inlineLines } from './inline.ts';
import { tableLines } from './table.ts';

/** Blocks as lines, one empty line between two of them. */
export function blockLines(tokens: readonly Token[], width: number): Line[] {
  const lines: Line[] = [];
  for (const token of known(tokens)) {
    const block = oneBlock(token, width);
    if (block.length === 0) continue;
    if (lines.length > 0) lines.push(EMPTY_LINE);
    lines.push(...block);
  }
  return lines;
}

function oneBlock(token: MarkedToken, width: number): Line[] {
  switch (token.type) {
    case 'space':
    case 'def':
      return [];
    case 'heading':
      return inlineLines(token.tokens, { bold: true, color: 'magenta' }).flatMap((text) =>
        wrapLine(text, width),
      );
    case 'hr':
      return [line('─'.repeat(Math.max(1, Math.min(width, 60))), { dim: true })];
    case 'code':
      return codeLines(token.text.replace(/\n+$/, ''), token.lang ?? '', width);
    case 'blockquote':
      return blockLines(token.tokens, Math.max(4, width - 2)).map((text) => [
        span('│ ', { color: 'gray' }),
        ...text,
      ]);
    case 'list':
      return listLines(token, width);
    case 'table':
      return tableLines(token, width);
    case 'html':
      return wrapText(token.raw.trimEnd(), width, { dim: true });
    default:
      return inlineLines('tokens' in token && token.tokens !== undefined ? token.tokens : [token]).flatMap(
        (text) => wrapLine(text, width),
      );
  }
}

/** Code as it is written, broken where it must be, behind a bar that tells it from text. */
export function codeLines(text: string, language: string, width: number): Line[] {
  const bar = span('▏', { color: 'gray' });
  const title: Line[] = language === '' ? [] : [[bar, span(language, { dim: true, italic: true })]];
  return [...title, ...wrapText(text, width, { color: 'cyan' }, { first: [bar] })];
}

function listLines(list: Tokens.List, width: number): Line[] {
  const start = typeof list.start === 'number' ? list.start : 1;
  return list.items.flatMap((item, index) => {
    const check = item.task ? (item.checked === true ? '[x] ' : '[ ] ') : '';
    const mark = `${list.ordered ? `${start + index}.` : '•'} ${check}`;
    const inner = Math.max(4, width - mark.length);
    const tokens = known(item.tokens).filter(({ type }) => type !== 'checkbox');
    const blocks = tokens.flatMap((token, at) => {
      const block = oneBlock(token, inner);
      // Loose lists stand apart; a list within an item does not.
      return item.loose && at > 0 && token.type !== 'list' && block.length > 0
        ? [EMPTY_LINE, ...block]
        : block;
    });
    const [first = EMPTY_LINE, ...rest] = blocks;
    const gap = list.loose && index > 0 ? [EMPTY_LINE] : [];
    return [
      ...gap,
      [span(mark, { color: 'gray' }), ...first],
      ...rest.map((text): Line => (text.length === 0 ? text : [span(' '.repeat(mark.length)), ...text])),
    ];
  });
}
