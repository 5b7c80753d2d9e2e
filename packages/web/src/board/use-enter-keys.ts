import { useAction } from '../palette/actions.ts';
import { text } from '../text/text.ts';

/** Offers the keys that move the focus into a list of sessions: `j` and the down arrow. Not while `enter` is absent. */
export function useEnterKeys(enter: (() => void) | undefined): void {
  const key = (id: string, keys: string) =>
    enter === undefined ? undefined : { id, label: text.board.keyMove, keys, isKeyOnly: true, run: enter };
  useAction(key('board.down', 'j'));
  useAction(key('board.arrow', 'ArrowDown'));
}
