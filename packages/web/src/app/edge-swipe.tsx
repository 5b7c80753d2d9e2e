import { type PointerEvent, type RefObject, useRef } from 'react';
import { direction } from '../text/text.ts';

/** Share of the window's width after which the gesture counts. */
const ENOUGH = 0.28;

/** A quick gesture counts after this way. Pixels, and pixels in a millisecond. */
const FLICK_PX = 48;
const FLICK_SPEED = 0.5;

interface Gesture {
  readonly x: number;
  readonly at: number;
}

/**
 * A narrow strip at an edge of a phone's screen. A finger that drags from it moves `content`; a long or quick drag calls `onSwipe`. Mouse and pen do
 * nothing.
 */
export function EdgeSwipe({
  edge,
  content,
  onSwipe,
}: {
  readonly edge: 'start' | 'end';
  readonly content: RefObject<HTMLElement | null>;
  readonly onSwipe: () => void;
}) {
  const gesture = useRef<Gesture>(undefined);
  /** +1: the finger moves to the right. */
  const sign = (edge === 'start') === (direction === 'ltr') ? 1 : -1;
  const wayOf = (event: PointerEvent): number =>
    gesture.current === undefined ? 0 : Math.max(0, sign * (event.clientX - gesture.current.x));
  const place = (wayPx: number): void => {
    const { current } = content;
    if (current !== null) current.style.transform = wayPx === 0 ? '' : `translateX(${sign * wayPx}px)`;
  };
  const end = (event: PointerEvent, isCancelled: boolean): void => {
    const begun = gesture.current;
    if (begun === undefined) return;
    const way = wayOf(event);
    gesture.current = undefined;
    place(0);
    const speed = way / Math.max(1, event.timeStamp - begun.at);
    const isEnough = way > window.innerWidth * ENOUGH || (way > FLICK_PX && speed > FLICK_SPEED);
    if (!isCancelled && isEnough) onSwipe();
  };
  return (
    <div
      aria-hidden
      className={`fixed inset-y-0 z-30 hidden w-4 touch-pan-y max-md:touch:block ${edge === 'start' ? 'start-0' : 'end-0'}`}
      onPointerDown={(event) => {
        if (event.pointerType !== 'touch') return;
        event.currentTarget.setPointerCapture(event.pointerId);
        gesture.current = { x: event.clientX, at: event.timeStamp };
      }}
      onPointerMove={(event) => gesture.current !== undefined && place(wayOf(event))}
      onPointerUp={(event) => end(event, false)}
      onPointerCancel={(event) => end(event, true)}
    />
  );
}
