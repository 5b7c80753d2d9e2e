/** Rows that Page Up and Page Down move by. */
const PAGE_ROWS = 10;

/** Index of the row that a key moves to; `undefined` for other keys. */
export function moveTo(key: string, at: number, count: number): number | undefined {
  const last = count - 1;
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return Math.min(at + 1, last);
    case 'ArrowUp':
    case 'k':
      return Math.max(at - 1, 0);
    case 'PageDown':
      return Math.min(at + PAGE_ROWS, last);
    case 'PageUp':
      return Math.max(at - PAGE_ROWS, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
