import { type RefObject, useEffect } from 'react';
import { releaseEnd } from '../ui/use-sticky-end.ts';

/** Time in which a list measures a new row. Milliseconds. */
const MEASURE_MS = 250;

/** Questions whose start was shown already. A list renders its rows anew as people scroll. */
const shown = new Set<string>();

/** Shows the start of a question that is higher than its list, once, when a person follows the end of the list. */
export function useShowStart(ask: string, element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (shown.has(ask)) return undefined;
    const timer = setTimeout(() => {
      const list = element.current?.closest('[role=log]');
      if (element.current === null || list === null || list === undefined) return;
      shown.add(ask);
      const { top, bottom, height } = element.current.getBoundingClientRect();
      const frame = list.getBoundingClientRect();
      const isFollowing = bottom > frame.top && list.scrollHeight - list.scrollTop - list.clientHeight < 100;
      if (height <= frame.height || top >= frame.top || !isFollowing) return;
      releaseEnd(element.current);
      element.current.scrollIntoView({ block: 'start' });
    }, MEASURE_MS);
    return () => clearTimeout(timer);
  }, [ask, element]);
}
