import type { Binding } from '../keys/bindings.ts';
import { EMPTY_LINE, type Line, line, type Span, span } from '../text/line.ts';
import { cutLine, lineCells } from '../text/wrap.ts';

/** What stands in the window: `height` lines, and the cursor where text is typed. */
export interface Frame {
  readonly lines: readonly Line[];
  readonly cursor?: { readonly x: number; readonly y: number };
}

/** Cells of the window. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The keys that do something here, in as many lines as they take but no more than `height`; what leads to help comes last and stays. */
export function hintLines(hints: readonly Binding[], width: number, height: number): Line[] {
  const help = hints.find(({ command }) => command === 'help');
  const cellsOfHint = ({ label, hint }: Binding): number => label.length + 1 + hint.length;
  const lines: Span[][] = [[]];
  let room = width;
  const put = (binding: Binding): void => {
    const line = lines.at(-1);
    if (line === undefined) return;
    if (line.length > 0) line.push(span('  '));
    line.push(span(binding.label, { bold: true }), span(` ${binding.hint}`, { dim: true }));
    room -= cellsOfHint(binding) + 2;
  };
  for (const binding of hints) {
    if (binding === help) continue;
    const isLastLine = lines.length >= height;
    const kept = isLastLine && help !== undefined ? cellsOfHint(help) + 2 : 0;
    if (cellsOfHint(binding) > room - kept) {
      if (isLastLine) break;
      lines.push([]);
      room = width;
    }
    put(binding);
  }
  if (help !== undefined) {
    if (cellsOfHint(help) > room && lines.length < height) lines.push([]);
    put(help);
  }
  return lines.map((line) => cutLine(line, width));
}

/** Lines that the keys may take in a window of so many. */
export const hintRows = (rows: number): number => (rows >= 14 ? 2 : 1);

/** A line across, with something to say at its left. */
export function ruleLine(text: Line, width: number): Line {
  if (text.length === 0) return [span('─'.repeat(width), { dim: true })];
  const said = cutLine(text, width - 6);
  const rest = width - lineCells(said) - 4;
  return [span('── ', { dim: true }), ...said, span(` ${'─'.repeat(Math.max(0, rest))}`, { dim: true })];
}

/** Exactly `height` of the lines, the one at `focus` among them. */
export function windowed(
  lines: readonly Line[],
  height: number,
  focus: number,
): { lines: readonly Line[]; top: number } {
  if (lines.length <= height) return { lines, top: 0 };
  const top = Math.max(0, Math.min(focus - Math.floor(height / 2), lines.length - height));
  return { lines: lines.slice(top, top + height), top };
}

/** Lines up to the height. */
export const filled = (lines: readonly Line[], height: number): Line[] => [
  ...lines.slice(0, height),
  ...Array.from({ length: Math.max(0, height - lines.length) }, () => EMPTY_LINE),
];

/** A line of one look that fits. */
export const fitted = (text: string, width: number, style?: Span['style']): Line =>
  cutLine(line(text, style), width);
