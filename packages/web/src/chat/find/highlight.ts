import { rangesOf } from './find-model.ts';

/** Ranges that are marked at once. */
const MAX_RANGES = 2_000;

/** Height of the find bar, which covers the top of the transcript. Pixels. */
const BAR_PX = 60;

/** Marks a text wherever it shows inside an element. The match with a number in the row `currentKey`, counted from 0, stands out. */
export function markMatches(
  root: HTMLElement,
  query: string,
  { currentKey, number }: { readonly currentKey: string | undefined; readonly number: number },
): void {
  if (!('highlights' in CSS)) return;
  const found: Range[] = [];
  const inRow: Range[] = [];
  for (const range of rangesIn(root, query)) {
    const row = range.startContainer.parentElement?.closest<HTMLElement>('[data-row]')?.dataset['row'];
    (row === currentKey ? inRow : found).push(range);
    if (found.length >= MAX_RANGES) break;
  }
  const current = inRow.splice(Math.min(number, inRow.length - 1), 1);
  CSS.highlights.set('found', new Highlight(...found, ...inRow));
  CSS.highlights.set('found-current', new Highlight(...current));
}

/** Scrolls to the match with a number in a row, counted from 0, if it is out of sight: rows can be higher than the screen. */
export function revealMatch(root: HTMLElement, query: string, rowKey: string, number: number): void {
  const row = root.querySelector<HTMLElement>(`[data-row="${CSS.escape(rowKey)}"]`);
  if (row === null) return;
  const ranges = Array.from(rangesIn(row, query));
  const range = ranges[Math.min(number, ranges.length - 1)];
  if (range === undefined) return;
  const { top, bottom } = range.getBoundingClientRect();
  const frame = root.getBoundingClientRect();
  if (top >= frame.top + BAR_PX && bottom <= frame.bottom) return;
  range.startContainer.parentElement?.scrollIntoView({ block: 'center' });
}

function* rangesIn(element: HTMLElement, query: string): Generator<Range> {
  if (query === '') return;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    for (const [start, end] of rangesOf(node.nodeValue ?? '', query)) {
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, end);
      yield range;
    }
  }
}

/** Removes all marks. */
export function clearMarks(): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.delete('found');
  CSS.highlights.delete('found-current');
}
