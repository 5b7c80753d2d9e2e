import { type RefObject, useEffect, useState } from 'react';

/** Smaller overlaps are bars of the browser, not keyboards. Pixels. */
const LEAST_KEYBOARD = 80;

/**
 * Height by which an on-screen keyboard covers an element, in pixels. 0 where the browser makes the page smaller instead, as the page asks Chrome and
 * Firefox to do; Safari does not.
 */
export function useKeyboardInset(element: RefObject<HTMLElement | null>): number {
  const [inset, setInset] = useState(0);
  useEffect(() => {
    const viewport = window.visualViewport;
    if (viewport === null) return undefined;
    const update = (): void => {
      const covered = window.innerHeight - viewport.height - viewport.offsetTop;
      const below = window.innerHeight - (element.current?.getBoundingClientRect().bottom ?? 0);
      // A page that is zoomed in has a small visual viewport, too.
      const isKeyboard = covered >= LEAST_KEYBOARD && viewport.scale === 1;
      setInset(isKeyboard ? Math.max(0, Math.round(covered - below)) : 0);
    };
    viewport.addEventListener('resize', update);
    viewport.addEventListener('scroll', update);
    return () => {
      viewport.removeEventListener('resize', update);
      viewport.removeEventListener('scroll', update);
    };
  }, [element]);
  return inset;
}
