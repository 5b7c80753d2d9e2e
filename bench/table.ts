import { barText, judge, type Measured } from './bar.ts';

const HEAD = ['benchmark', 'figure', 'baseline', 'ratio', 'bar', 'verdict'];

/** Formats the results as a table. */
export function table(results: readonly Measured[]): string[] {
  const rows = results.map(({ name, figure, baseline, ratio, bar }) => [
    name,
    figure,
    baseline,
    ratio.toFixed(2),
    barText(bar),
    judge(ratio, bar),
  ]);
  const widths = HEAD.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return [line(HEAD), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)];
}
