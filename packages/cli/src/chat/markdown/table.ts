import type { Tokens } from 'marked';
import { EMPTY_LINE, type Line, type Span, span } from '../text/line.ts';
import { lineCells, padLine, wrapLine } from '../text/wrap.ts';
import { inlineLines } from './inline.ts';

const leastColumnCells = 3;

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
  if (room < columnCount * leastColumnCells) return stacked(rows, width);
  const widths = shared(wanted, room);
  const lines = rows.flatMap((row) => rowLines(row, widths, table));
  const headerHeight = rowLines(rows[0] ?? [], widths, table).length;
  const rule: Line = [span(widths.map((cells) => '─'.repeat(cells)).join('─┼─'), { dim: true })];
  return [...lines.slice(0, headerHeight), rule, ...lines.slice(headerHeight)];
}

/** What columns get: what they want where that fits, else the widest give first. */
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
