import { rangesOf } from './find-model.ts';

/** Ranges that are marked at once. */
const MAX_RANGES = 2_000;

/** Marks a text wherever it shows inside an element; the matches in the row `currentKey` stand out. */
export function markMatches(root: HTMLElement, query: string, currentKey: string | undefined): void {
  if (!('highlights' in CSS)) return;
  const found: Range[] = [];
  const current: Range[] = [];
  if (query !== '') {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null && found.length < MAX_RANGES; node = walker.nextNode()) {
      let isCurrent: boolean | undefined;
      for (const [start, end] of rangesOf(node.nodeValue ?? '', query)) {
        isCurrent ??= node.parentElement?.closest<HTMLElement>('[data-row]')?.dataset['row'] === currentKey;
        const range = new Range();
        range.setStart(node, start);
        range.setEnd(node, end);
        (isCurrent ? current : found).push(range);
      }
    }
  }
  CSS.highlights.set('found', new Highlight(...found));
  CSS.highlights.set('found-current', new Highlight(...current));
}

/** Removes all marks. */
export function clearMarks(): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.delete('found');
  CSS.highlights.delete('found-current');
}
