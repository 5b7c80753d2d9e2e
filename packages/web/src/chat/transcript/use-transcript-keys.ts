import { type KeyboardEvent, type RefObject, useCallback } from 'react';
import type { VirtualListHandle } from '../../ui/virtual-list.tsx';
import type { Row } from './rows.ts';

/** Frames to wait until a row that was scrolled to is rendered. */
const MOST_FRAMES = 20;

const isTyping = (target: EventTarget): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Keys of a transcript: j and k between turns, J and K between rows, o opens the card of the row, `.` the menu of the turn. */
export function useTranscriptKeys(
  rows: readonly Row[],
  list: RefObject<VirtualListHandle | null>,
  frame: RefObject<HTMLDivElement | null>,
): (event: KeyboardEvent) => void {
  return useCallback(
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target))
        return;
      const root = frame.current;
      if (root === null) return;
      const current = currentKey(root);
      const row = rows.find(({ key }) => key === current);
      switch (event.key) {
        case 'j':
        case 'k':
        case 'J':
        case 'K': {
          const step = event.key.toLowerCase() === 'j' ? 1 : -1;
          const stops =
            event.key === 'j' || event.key === 'k' ? rows.filter(({ kind }) => kind === 'message') : rows;
          const at = stops.findLastIndex(
            (stop) => stop.key === current || (stop.kind === 'message' && stop.turnId === row?.turnId),
          );
          const isInside = step < 0 && at >= 0 && stops[at]?.key !== current;
          const next = stops[isInside ? at : at + step];
          if (next !== undefined) focusRow(root, list.current, next.key);
          break;
        }
        case 'o':
          rowElement(root, current)?.querySelector<HTMLElement>('[data-card]')?.click();
          break;
        case '.':
          openMenu(root, list.current, row?.turnId);
          break;
        default:
          return;
      }
      event.preventDefault();
    },
    [rows, list, frame],
  );
}

/** The row that has the focus, else the first one in sight. */
function currentKey(root: HTMLElement): string | undefined {
  const focused = document.activeElement?.closest<HTMLElement>('[data-row]');
  if (focused !== null && focused !== undefined && root.contains(focused)) return focused.dataset['row'];
  const { top } = root.getBoundingClientRect();
  for (const element of root.querySelectorAll<HTMLElement>('[data-row]'))
    if (element.getBoundingClientRect().bottom > top + 8) return element.dataset['row'];
  return undefined;
}

const rowElement = (root: HTMLElement, key: string | undefined): HTMLElement | undefined =>
  Array.from(root.querySelectorAll<HTMLElement>('[data-row]')).find(({ dataset }) => dataset['row'] === key);

function focusRow(root: HTMLElement, list: VirtualListHandle | null, key: string): void {
  list?.scrollToKey(key, 'auto');
  whenRendered(root, key, (element) => element.focus({ preventScroll: true }));
}

function openMenu(root: HTMLElement, list: VirtualListHandle | null, turnId: string | undefined): void {
  if (turnId === undefined) return;
  const key = `${turnId} end`;
  if (rowElement(root, key) === undefined) list?.scrollToKey(key, 'auto');
  whenRendered(root, key, (element) => {
    const button = element.querySelector<HTMLElement>('[data-turn-menu]');
    button?.focus();
    // The menu opens by pointer events and by keys.
    button?.dispatchEvent(new window.KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  });
}

/** Calls back with a row as soon as it is rendered; never for one that does not come. */
function whenRendered(root: HTMLElement, key: string, callback: (element: HTMLElement) => void): void {
  let frames = 0;
  const look = (): void => {
    const element = rowElement(root, key);
    if (element !== undefined) return callback(element);
    frames += 1;
    if (frames < MOST_FRAMES) requestAnimationFrame(look);
  };
  look();
}
