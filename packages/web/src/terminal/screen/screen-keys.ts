/** The command of a key that is not typed into the terminal. */
export type ScreenCommand = 'copy' | 'paste' | 'previous' | 'next' | 'leave' | 'none';

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'metaKey'>;

/** The command of a key of the page; `undefined`: the key is for the program. */
export function screenCommand({ key, ctrlKey, shiftKey, altKey, metaKey }: Key): ScreenCommand | undefined {
  // Tabs are chosen by Alt and a digit; see `terminals-view.tsx`.
  if (altKey && !ctrlKey && !shiftKey && !metaKey && /^[1-9]$/.test(key)) return 'none';
  if (!ctrlKey || !shiftKey || altKey || metaKey) return undefined;
  switch (key.toLowerCase()) {
    case 'c':
      return 'copy';
    case 'v':
      return 'paste';
    case 'arrowup':
      return 'previous';
    case 'arrowdown':
      return 'next';
    case 'l':
      return 'leave';
    // Opens a terminal; see `terminals-view.tsx`.
    case 't':
      return 'none';
    default:
      return undefined;
  }
}

/** The control character of a key, as with the control key held: `c` becomes ETX. Other text stays. */
export function withControl(text: string): string {
  if (/^[a-z@[\\\]^_]$/i.test(text)) return String.fromCharCode(text.toUpperCase().charCodeAt(0) & 0x1f);
  return text === ' ' ? '\u0000' : text;
}
