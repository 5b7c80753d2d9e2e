/** Ranges that are marked at once. */
const MAX_RANGES = 2_000;

/** Marks a text wherever it shows inside an element; the matches in the row `currentKey` stand out. */
export function markMatches(root: HTMLElement, query: string, currentKey: string | undefined): void {
  if (!('highlights' in CSS)) return;
  const wanted = query.toLocaleLowerCase();
  const found: Range[] = [];
  const current: Range[] = [];
  if (wanted !== '') {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null && found.length < MAX_RANGES; node = walker.nextNode()) {
      const content = node.nodeValue?.toLocaleLowerCase() ?? '';
      let isCurrent: boolean | undefined;
      for (let at = content.indexOf(wanted); at !== -1; at = content.indexOf(wanted, at + wanted.length)) {
        isCurrent ??= node.parentElement?.closest<HTMLElement>('[data-row]')?.dataset['row'] === currentKey;
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, Math.min(at + wanted.length, node.nodeValue?.length ?? 0));
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
