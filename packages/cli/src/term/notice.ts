import { cellsOf, cutToCells } from '../render/cells.ts';
import type { WindowSize } from './window.ts';

/**
 * Lines over the upper right corner of a window, reversed, everything else left as it is: what to write. They stay until
 * something is shown in their place.
 */
export function noticeText(lines: readonly string[], { cols, rows }: WindowSize): string {
  const shown = lines.slice(0, rows).map((line) => cutToCells(line, Math.max(4, cols - 2)));
  const width = Math.max(...shown.map(cellsOf));
  const column = Math.max(1, cols - width - 1);
  return shown
    .map((line, index) => {
      const padding = ' '.repeat(width - cellsOf(line));
      return `\u001b7\u001b[${index + 1};${column}H\u001b[0;7m ${line}${padding} \u001b8`;
    })
    .join('');
}
