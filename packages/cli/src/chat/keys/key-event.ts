/** Keys that type no text. */
export type NamedKey =
  | 'enter'
  | 'tab'
  | 'esc'
  | 'backspace'
  | 'delete'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'pageup'
  | 'pagedown';

/** Something typed: text, or a key as bindings name it (`ctrl-s`, `alt-enter`, `shift-tab`, `up`). */
export type KeyEvent = { readonly text: string } | { readonly key: string };

/** Key event of the terminal library, with the fields that are used. */
export interface RawKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly pageDown: boolean;
  readonly pageUp: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly tab: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly meta: boolean;
}

const KEY_NAMES: readonly (readonly [keyof RawKey, NamedKey])[] = [
  ['return', 'enter'],
  ['tab', 'tab'],
  ['escape', 'esc'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['home', 'home'],
  ['end', 'end'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
];

/** Key events in order. A slow connection may deliver several keys at once. */
export function keyEvents(input: string, raw: RawKey): KeyEvent[] {
  const named = KEY_NAMES.find(([field]) => raw[field])?.[1];
  if (named !== undefined) {
    // Esc twice in a row is told as one with a modifier.
    const alt = raw.meta && named !== 'esc' ? 'alt-' : '';
    const shift = raw.shift && named !== 'enter' ? 'shift-' : '';
    return [{ key: `${raw.ctrl ? 'ctrl-' : ''}${alt}${shift}${named}` }];
  }
  if (raw.ctrl) return input === '' ? [] : [{ key: `ctrl-${input}` }];
  if (raw.meta) return input === '' ? [] : [{ key: `alt-${input === '\r' ? 'enter' : input}` }];
  return textEvents(input);
}

function textEvents(input: string): KeyEvent[] {
  const events: KeyEvent[] = [];
  for (const piece of input.match(/[^\u0000-\u001f\u007f]+|[\u0000-\u001f\u007f]/g) ?? []) {
    const code = piece.charCodeAt(0);
    if (code >= 0x20 && code !== 0x7f) events.push({ text: piece });
    else if (piece === '\r') events.push({ key: 'enter' });
    else if (piece === '\t') events.push({ key: 'tab' });
    else if (code === 0x7f) events.push({ key: 'backspace' });
    else events.push({ key: `ctrl-${String.fromCharCode(code + 96)}` });
  }
  return events;
}
