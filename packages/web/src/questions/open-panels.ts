import { type RefObject, useEffect, useRef } from 'react';
import { type PanelCommand, panelCommand } from './approval-keys.ts';
import { FOCUSED_KEYS } from './focused-keys.ts';

interface OpenPanel {
  readonly element: RefObject<HTMLElement | null>;
  readonly run: RefObject<(command: PanelCommand) => boolean>;
}

/** Marks the field of the composer, whose text keeps keys away from panels. */
export const COMPOSER_FIELD = 'data-composer-field';

const EDITABLE = 'input, textarea, select, [contenteditable]:not([contenteditable="false"])';
const OTHER_KEYS = '[role="dialog"], [role="menu"], [role="listbox"]';

/** The newest panel is the last one. */
const panels: OpenPanel[] = [];

/** Gives the panel its keys: when it has the focus, or when it is the newest one and nothing is being written. */
export function usePanelKeys(
  element: RefObject<HTMLElement | null>,
  run: (command: PanelCommand) => boolean,
): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    const panel = { element, run: latest };
    panels.push(panel);
    if (panels.length === 1) document.addEventListener('keydown', onKey);
    return () => {
      panels.splice(panels.indexOf(panel), 1);
      if (panels.length === 0) document.removeEventListener('keydown', onKey);
    };
  }, [element]);
}

/** Moves the focus to the newest open panel. Returns false when there is none. */
export function focusNewestPanel(): boolean {
  const element = panels.at(-1)?.element.current;
  if (element === null || element === undefined) return false;
  element.scrollIntoView({ block: 'nearest' });
  element.focus();
  return true;
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.repeat) return;
  const command = panelCommand(event);
  const { target } = event;
  if (command === undefined || !(target instanceof Element)) return;
  if (target.closest(EDITABLE) !== null || target.closest(OTHER_KEYS) !== null) return;
  const focused = panels.findLast(({ element }) => element.current?.contains(target) === true);
  const newest = panels.findLast(({ element }) => element.current?.closest(`[${FOCUSED_KEYS}]`) === null);
  const panel = focused ?? (isComposerEmpty() ? newest : undefined);
  if (panel?.run.current(command) === true) event.preventDefault();
}

function isComposerEmpty(): boolean {
  const field = document.querySelector(`[${COMPOSER_FIELD}]`);
  return !(field instanceof HTMLTextAreaElement) || field.value === '';
}
