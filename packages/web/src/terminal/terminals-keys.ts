type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>;

/** The command of a key in the view of all terminals: opens a terminal, or selects the tab with this index. */
export function terminalsCommand({
  key,
  ctrlKey,
  shiftKey,
  altKey,
  metaKey,
}: Key): 'new' | number | undefined {
  if (metaKey) return undefined;
  if (ctrlKey && shiftKey && !altKey && key.toLowerCase() === 't') return 'new';
  if (altKey && !ctrlKey && !shiftKey && /^[1-9]$/.test(key)) return Number(key) - 1;
  return undefined;
}
