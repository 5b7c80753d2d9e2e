import { windowed } from '../app/frame.ts';
import { line } from '../text/line.ts';
import { cutLine } from '../text/wrap.ts';
import type { PanelLines } from './form-lines.ts';

/** Said where a question cannot be seen, and so not be allowed. */
export const TOO_SMALL = 'too small to answer here';

/** A panel in so many lines: what is asked, and below it what is near the focus. `undefined` where that needs more. */
export function fitted(panel: PanelLines, height: number): PanelLines | undefined {
  const { lines, focusRow, headRows = 0 } = panel;
  if (lines.length <= height || headRows === 0) return panel;
  const room = height - headRows;
  if (room < 1) return undefined;
  const rest = windowed(lines.slice(headRows), room, focusRow - headRows);
  return {
    lines: [...lines.slice(0, headRows), ...rest.lines],
    focusRow: focusRow - rest.top,
  };
}

/** What stands in place of a question that does not fit. */
export const tooSmall = (width: number, height: number): PanelLines => ({
  lines: [cutLine(line(TOO_SMALL, { color: 'yellow', bold: true }), width)].slice(0, height),
  focusRow: 0,
});
