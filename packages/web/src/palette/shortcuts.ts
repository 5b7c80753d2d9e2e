import { useEffect } from 'react';
import { presentActions } from './actions.ts';
import { isApple, matchesKeys, worksInFields } from './keys.ts';

const EDITABLE = 'input, textarea, select, [contenteditable]:not([contenteditable="false"]), .xterm';

/** Whether the element takes typed characters. */
const takesText = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(EDITABLE) !== null;

/** Whether a modal dialog or a menu is open, to which keys belong. */
const isCovered = (): boolean => document.querySelector('[role="dialog"], [role="menu"]') !== null;

/** Runs the offered actions by their keys. Used once, by the frame of the page. */
export function useShortcuts(): void {
  useEffect(() => {
    const apple = isApple(navigator.platform);
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      const action = presentActions().findLast(
        ({ keys }) => keys !== undefined && matchesKeys(event, keys, apple),
      );
      if (action?.keys === undefined) return;
      if (!worksInFields(action.keys) && (takesText(event.target) || isCovered())) return;
      event.preventDefault();
      action.run();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}
