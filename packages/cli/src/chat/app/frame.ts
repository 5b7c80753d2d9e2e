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

/** The keys that do something here, as many as fit; `?` goes last and stays. */
export function hintLine(hints: readonly Binding[], width: number): Line {
  const shown: Span[] = [];
  let room = width;
  const help = hints.find(({ command }) => command === 'help');
  const helpCells = help === undefined ? 0 : help.label.length + help.hint.length + 3;
  for (const binding of hints) {
    if (binding === help) continue;
    const cells = binding.label.length + 1 + binding.hint.length + (shown.length === 0 ? 0 : 2);
    if (cells > room - helpCells) break;
    if (shown.length > 0) shown.push(span('  '));
    shown.push(span(binding.label, { bold: true }), span(` ${binding.hint}`, { dim: true }));
    room -= cells;
  }
  if (help !== undefined)
    shown.push(
      span(shown.length === 0 ? '' : '  '),
      span(help.label, { bold: true }),
      span(` ${help.hint}`, { dim: true }),
    );
  return cutLine(shown, width);
}

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
