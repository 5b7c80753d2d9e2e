import { Emitter } from '../../live/emitter.ts';

const requested = new Emitter();

/** Opens the find bar of the chat that is shown. */
export const requestFind = (): void => requested.emit();

const onKey = (event: KeyboardEvent): void => {
  if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
    return;
  event.preventDefault();
  requested.emit();
};

/** Calls `listener` when a person wants to find text in the chat: by the menu, or by Ctrl+F. Returns a function that removes it. */
export function onFindRequested(listener: () => void): () => void {
  const stop = requested.add(listener);
  window.addEventListener('keydown', onKey);
  return () => {
    stop();
    window.removeEventListener('keydown', onKey);
  };
}
