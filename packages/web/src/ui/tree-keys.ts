import type { KeyboardEvent } from 'react';

/**
 * Moves the focus among the rows of a tree: up and down to the row above or below, right opens a closed folder, left closes an open one. Rows are
 * buttons with the attribute `data-tree`.
 */
export function moveInTree(event: KeyboardEvent<HTMLElement>): void {
  const { target, key } = event;
  if (!(target instanceof HTMLButtonElement) || !target.hasAttribute('data-tree')) return;
  const isOpen = target.getAttribute('aria-expanded');
  if ((key === 'ArrowRight' && isOpen === 'false') || (key === 'ArrowLeft' && isOpen === 'true')) {
    event.preventDefault();
    target.click();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined) return;
  const buttons = Array.from(event.currentTarget.querySelectorAll<HTMLButtonElement>('button[data-tree]'));
  // A virtual list may have its rows in another order.
  const ordered = buttons.toSorted((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
  const next = ordered[ordered.indexOf(target) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
