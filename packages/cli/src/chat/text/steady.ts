import { cellsOf } from '../../render/cells.ts';

const segmenter = new Intl.Segmenter();

/** Characters that are drawn of several: skin tones, joined people, keycaps, and what a selector makes an emoji of. */
const composed = /\u200d|\u20e3|\ufe0f|\p{Emoji_Modifier}/u;

/**
 * Text that takes the same cells in every terminal: terminals disagree on what emoji of several characters take, and one cell too
 * many breaks the whole screen. Only the first character of such an emoji stays, and a space where it is narrower.
 */
export function steady(text: string): string {
  if (!composed.test(text)) return text;
  let shown = '';
  for (const { segment } of segmenter.segment(text)) {
    if (!composed.test(segment)) {
      shown += segment;
      continue;
    }
    const [first = ''] = segment;
    shown += first + ' '.repeat(Math.max(0, cellsOf(segment) - cellsOf(first)));
  }
  return shown;
}
