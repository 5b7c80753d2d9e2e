const segmenter = new Intl.Segmenter();

/** East Asian wide and full-width characters, and those that are shown as emoji. */
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/** Text of which every character takes one cell: most of it, and told apart fast. */
const narrow = /^[ -~]*$/;

/** Cells that a line of plain text takes in a terminal; wide characters take two. */
export function cellsOf(text: string): number {
  if (narrow.test(text)) return text.length;
  let cells = 0;
  for (const { segment } of segmenter.segment(text)) cells += wide.test(segment) ? 2 : 1;
  return cells;
}

/** As much of a line as fits into so many cells, with an ellipsis where something is left out. */
export function cutToCells(text: string, limit: number): string {
  if (cellsOf(text) <= limit) return text;
  let kept = '';
  let cells = 3;
  for (const { segment } of segmenter.segment(text)) {
    cells += wide.test(segment) ? 2 : 1;
    if (cells > limit) break;
    kept += segment;
  }
  return `${kept.trimEnd()}...`;
}
