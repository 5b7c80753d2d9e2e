import { type RefObject, useLayoutEffect } from 'react';

/** A scroll within this time after an input of a person is that person's. Milliseconds. */
const INPUT_MS = 700;

const SCROLL_KEYS = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ', 'Tab'];

const RELEASE = 'agenthost-release-end';
const HOLD = 'agenthost-hold-end';

/** Tells the scrolling area around an element that the page itself scrolls away from the end. */
export function releaseEnd(element: Element): void {
  element.dispatchEvent(new Event(RELEASE, { bubbles: true }));
}

/** Scrolls a scrolling area to its end and keeps it there, wherever a person has scrolled before. */
export function holdEnd(scroller: Element): void {
  scroller.dispatchEvent(new Event(HOLD));
}

/** Calls `listener` when `releaseEnd` is called inside an element. Returns a function that removes it. */
export function onReleaseEnd(element: Element, listener: () => void): () => void {
  element.addEventListener(RELEASE, listener);
  return () => element.removeEventListener(RELEASE, listener);
}

/**
 * Keeps a scrolling area at its end while its content grows or its height changes, until a person scrolls away from the end or `releaseEnd` is
 * called. `holdEnd` starts it again. `thresholdPx`: this near counts as at the end.
 */
export function useStickyEnd(
  scroller: RefObject<HTMLElement | null>,
  isEnabled: boolean,
  thresholdPx: number,
): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (!isEnabled || element === null || content === null || content === undefined) return undefined;
    let isStuck = true;
    let inputAt = Number.NEGATIVE_INFINITY;
    const isNearEnd = (): boolean =>
      element.scrollHeight - element.scrollTop - element.clientHeight <= thresholdPx;
    const onInput = (): void => {
      inputAt = performance.now();
    };
    // A pointer on the area itself is on its scrollbar.
    const onPointer = ({ target }: Event): void => {
      if (target === element) onInput();
    };
    const onKey = ({ key }: KeyboardEvent): void => {
      if (SCROLL_KEYS.includes(key)) onInput();
    };
    const onRelease = (): void => {
      isStuck = false;
    };
    const onScroll = (): void => {
      const isByPerson = performance.now() - inputAt < INPUT_MS;
      if (isByPerson) isStuck = isNearEnd();
      else if (element.scrollHeight - element.scrollTop - element.clientHeight < 1) isStuck = true;
    };
    const toEnd = (): void => {
      if (isStuck) element.scrollTop = element.scrollHeight;
    };
    const onHold = (): void => {
      isStuck = true;
      // The scroll that follows is not the one of an earlier input.
      inputAt = Number.NEGATIVE_INFINITY;
      toEnd();
    };
    const observer = new ResizeObserver(toEnd);
    observer.observe(element);
    observer.observe(content);
    const listening = new AbortController();
    const options = { passive: true, signal: listening.signal };
    element.addEventListener('scroll', onScroll, options);
    element.addEventListener('wheel', onInput, options);
    element.addEventListener('touchmove', onInput, options);
    element.addEventListener('pointerdown', onPointer, options);
    element.addEventListener('keydown', onKey, options);
    element.addEventListener(RELEASE, onRelease, options);
    element.addEventListener(HOLD, onHold, options);
    return () => {
      observer.disconnect();
      listening.abort();
    };
  }, [scroller, isEnabled, thresholdPx]);
}
