import { type RefObject, useEffect } from 'react';

/**
 * Focuses the message field when its chat is opened, so that the first keys are no shortcuts. It does not take the focus from a field, or from a
 * list that is used by keyboard. On touch screens it would open the keyboard.
 */
export function useStartFocus(field: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (matchMedia('(pointer: coarse)').matches) return;
    const focused = document.activeElement;
    const isFree =
      focused === null ||
      focused === document.body ||
      (focused.matches('a, button') &&
        !focused.matches(':focus-visible, [role="dialog"] *, [role="menu"] *'));
    if (isFree) field.current?.focus({ preventScroll: true });
  }, [field]);
}
