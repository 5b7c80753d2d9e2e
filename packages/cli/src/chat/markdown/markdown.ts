import type { MarkedToken, Token, Tokens } from 'marked';
import { known } from '../../render/bounded-markdown.ts';
import { plain } from '../../render/plain-text.ts';
import { EMPTY_LINE, type Line, line, type Span, type Style, span } from '../text/line.ts';
import { lineCells, padLine, wrapLine, wrapText } from '../text/wrap.ts';

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

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

const unescaped = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (name) => HTML_ENTITIES[name] ?? name);

/** Inline Markdown as lines: more than one where it has hard breaks. HTML stays as it is written. */
export function inlineLines(tokens: readonly Token[] | undefined, style: Style = {}): Line[] {
  const lines: Span[][] = [[]];
  const put = (text: string, look: Style): void => {
    // A reference such as `&#27;` is a control character only now.
    for (const [index, piece] of plain(text).split('\n').entries()) {
      // A newline in a paragraph is a space; a hard break is a token of its own.
      if (index > 0) lines.at(-1)?.push(span(' ', look));
      if (piece !== '') lines.at(-1)?.push(span(piece, look));
    }
  };
  const walk = (list: readonly Token[] | undefined, look: Style): void => {
    for (const token of known(list)) takeInline(token, look);
  };
  const takeInline = (token: MarkedToken, look: Style): void => {
    switch (token.type) {
      case 'strong':
        return walk(token.tokens, { ...look, bold: true });
      case 'em':
        return walk(token.tokens, { ...look, italic: true });
      case 'del':
        return walk(token.tokens, { ...look, strike: true });
      case 'codespan':
        return put(unescaped(token.text), { ...look, color: 'cyan' });
      case 'br':
        lines.push([]);
        return;
      case 'link':
      case 'image': {
        const href = token.href;
        const label = token.text;
        if (token.type === 'link') walk(token.tokens, { ...look, underline: true });
        else put(label, { ...look, italic: true });
        // Where a link leads is always said: what it is called may lie.
        if (href !== label && href !== `mailto:${label}`)
          put(label === '' ? href : ` (${href})`, { ...look, dim: true });
        return;
      }
      case 'escape':
      case 'text':
        if ('tokens' in token && token.tokens !== undefined) return walk(token.tokens, look);
        return put(unescaped(token.text), look);
      case 'checkbox':
        return;
      default:
        return put(token.raw, look);
    }
  };
  walk(tokens, style);
  return lines;
}

const MIN_COLUMN_CELLS = 3;

/** A table with its columns beside each other, cells wrapped; where there is no room for that, a list of its rows. */
export function tableLines(table: Tokens.Table, width: number): Line[] {
  const rows = [table.header, ...table.rows].map((row, index) =>
    row.map((cell) => inlineLines(cell.tokens, index === 0 ? { bold: true } : {}).flat()),
  );
  const columnCount = table.header.length;
  const between = 3 * (columnCount - 1);
  const wanted = Array.from({ length: columnCount }, (_, column) =>
    Math.max(1, ...rows.map((row) => lineCells(row[column] ?? EMPTY_LINE))),
  );
  const room = width - between;
  if (room < columnCount * MIN_COLUMN_CELLS) return stacked(rows, width);
  const widths = shared(wanted, room);
  const lines = rows.flatMap((row) => rowLines(row, widths, table));
  const headerHeight = rowLines(rows[0] ?? [], widths, table).length;
  const rule: Line = [span(widths.map((cells) => '─'.repeat(cells)).join('─┼─'), { dim: true })];
  return [...lines.slice(0, headerHeight), rule, ...lines.slice(headerHeight)];
}

/** Widths of columns: as wanted if they fit, else the widest are reduced first. */
function shared(wanted: readonly number[], room: number): number[] {
  const widths = [...wanted];
  for (let over = widths.reduce((sum, cells) => sum + cells, 0) - room; over > 0; over -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  return widths;
}

function rowLines(row: readonly Line[], widths: readonly number[], { align }: Tokens.Table): Line[] {
  const cells = widths.map((width, column) => wrapLine(row[column] ?? EMPTY_LINE, width));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) =>
    widths.flatMap((width, column): Span[] => {
      const cell = cells[column]?.[index] ?? EMPTY_LINE;
      const isRight = align[column] === 'right';
      const padded = isRight
        ? [span(' '.repeat(Math.max(0, width - lineCells(cell)))), ...cell]
        : padLine(cell, width);
      return column === 0 ? [...padded] : [span(' │ ', { dim: true }), ...padded];
    }),
  );
}

function stacked(rows: readonly (readonly Line[])[], width: number): Line[] {
  const [header = [], ...body] = rows;
  return body.flatMap((row) =>
    row.flatMap((cell, column) => wrapLine([...(header[column] ?? []), span(': '), ...cell], width)),
  );
}
