import { useVirtualizer } from '@tanstack/react-virtual';
import type { ReactNode, Ref } from 'react';
import { useCallback, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { classes } from './class-names.ts';
import { holdEnd, onReleaseEnd, releaseEnd, useStickyEnd } from './use-sticky-end.ts';

/** Rows rendered beyond each edge of the visible part. */
const OVERSCAN = 6;

/** Distance from the end, in pixels, at which a list counts as scrolled to its end. */
const END_THRESHOLD = 48;

/** No list is this near to its end. */
const NEVER_AT_END = -1;

/** How long a list does not follow its end after `releaseEnd`: until what was opened has been measured. Milliseconds. */
const RELEASE_MS = 600;

/** Control of a list from outside. */
export interface VirtualListHandle {
  /** Scrolls to the end. A list with `anchor: 'end'` follows it again. */
  scrollToEnd(): void;
  /** Scrolls to a row; nothing for an unknown key. */
  scrollToKey(key: string, align?: 'start' | 'center' | 'end' | 'auto'): void;
}

interface VirtualListProps<T> {
  readonly items: readonly T[];
  /** Unique and stable. */
  readonly keyOf: (item: T, index: number) => string;
  /** Expected height of a row in pixels. */
  readonly estimate: (item: T, index: number) => number;
  readonly children: (item: T, index: number) => ReactNode;
  /** `end`: starts at the last row, follows appended rows while it is scrolled to the end, and keeps its place when rows are put in front. */
  readonly anchor?: 'start' | 'end';
  /** Called when fewer than `edge` rows are left before the first row. */
  readonly onNearStart?: () => void;
  /** Called when fewer than `edge` rows are left behind the last row. */
  readonly onNearEnd?: () => void;
  /** Default 8. */
  readonly edge?: number;
  /** Called when the list arrives at its end or leaves it. */
  readonly onAtEnd?: (isAtEnd: boolean) => void;
  readonly label: string;
  readonly role?: 'list' | 'listbox' | 'log' | 'feed';
  readonly className?: string;
  /** Classes of each row. */
  readonly rowClassName?: string;
  readonly handle?: Ref<VirtualListHandle>;
}

/** A scrolling list that renders only the visible rows. Rows measure themselves. No other module imports the library. */
export function VirtualList<T>({
  items,
  keyOf,
  estimate,
  children,
  anchor = 'start',
  onNearStart,
  onNearEnd,
  edge = 8,
  onAtEnd,
  label,
  role = 'list',
  className,
  rowClassName,
  handle,
}: VirtualListProps<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const itemAt = (index: number): T => itemOf(items, index);
  // The library measures everything anew when this function changes.
  const getItemKey = useCallback((index: number) => keyOf(itemOf(items, index), index), [items, keyOf]);
  const isReleased = useRef(false);
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimate(itemAt(index), index),
    getItemKey,
    overscan: OVERSCAN,
    scrollEndThreshold: isReleased.current ? NEVER_AT_END : END_THRESHOLD,
    ...(anchor === 'end' ? { anchorTo: 'end' as const, followOnAppend: true } : {}),
  });

  useImperativeHandle(
    handle,
    () => ({
      scrollToEnd: () => {
        if (scroller.current !== null) holdEnd(scroller.current);
        virtualizer.scrollToEnd();
      },
      scrollToKey: (key, align = 'auto') => {
        const index = items.findIndex((item, at) => keyOf(item, at) === key);
        if (index < 0) return;
        if (scroller.current !== null) releaseEnd(scroller.current);
        virtualizer.scrollToIndex(index, { align });
      },
    }),
    [virtualizer, items, keyOf],
  );

  useStickyEnd(scroller, anchor === 'end', END_THRESHOLD);
  useLayoutEffect(() => {
    if (anchor !== 'end' || scroller.current === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const set = (isNow: boolean): void => {
      isReleased.current = isNow;
      virtualizer.options.scrollEndThreshold = isNow ? NEVER_AT_END : END_THRESHOLD;
    };
    const stop = onReleaseEnd(scroller.current, () => {
      set(true);
      clearTimeout(timer);
      timer = setTimeout(() => set(false), RELEASE_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [anchor, virtualizer]);
  const isFilled = items.length > 0;
  useLayoutEffect(() => {
    if (anchor === 'end' && isFilled) virtualizer.scrollToEnd();
  }, [anchor, isFilled, virtualizer]);

  const isSettled = useIsSettled(anchor === 'start' || isFilled);
  const shown = virtualizer.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  useLayoutEffect(() => {
    // A list that starts at its end is at its start for a moment.
    if (items.length === 0 || !isSettled) return;
    if (first < edge) onNearStart?.();
    if (last >= items.length - edge) onNearEnd?.();
  }, [first, last, items.length, edge, isSettled, onNearStart, onNearEnd]);

  const isAtEnd = virtualizer.isAtEnd(END_THRESHOLD);
  useLayoutEffect(() => onAtEnd?.(isAtEnd), [isAtEnd, onAtEnd]);

  return (
    <div
      ref={scroller}
      role={role}
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
      tabIndex={0}
      {...(role === 'log' ? { 'aria-live': 'off' as const } : {})}
      className={classes('overflow-y-auto overscroll-contain [overflow-anchor:none]', className)}
    >
      <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
        {shown.map(({ index, key, start }) => (
          <div
            key={String(key)}
            ref={virtualizer.measureElement}
            data-index={index}
            role={role === 'list' ? 'listitem' : undefined}
            className={classes('absolute inset-x-0 top-0', rowClassName)}
            style={{ transform: `translateY(${start}px)` }}
          >
            {children(itemAt(index), index)}
          </div>
        ))}
      </div>
    </div>
  );
}

function itemOf<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`row ${index} of ${items.length}`);
  return item;
}

/** True two frames after `isReady` became true, when the first rows have been measured. */
function useIsSettled(isReady: boolean): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    if (!isReady) return undefined;
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setSettled(true));
    });
    return () => cancelAnimationFrame(frame);
  }, [isReady]);
  return isSettled;
}
