/** The facts that decide whether a key press is a shortcut. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** Names of keys for people, where they differ from `KeyboardEvent.key`. */
const NAMES: Readonly<Record<string, string>> = {
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  enter: 'Enter',
  escape: 'Esc',
  delete: 'Delete',
  home: 'Home',
  end: 'End',
};

const MODIFIERS: Readonly<Record<string, readonly [apple: string, other: string]>> = {
  mod: ['⌘', 'Ctrl'],
  alt: ['⌥', 'Alt'],
  shift: ['⇧', 'Shift'],
};

const parts = (keys: string): readonly string[] => (keys === '+' ? ['+'] : keys.toLowerCase().split('+'));

/** Whether the device has Apple's keyboard. */
export const isApple = (platform: string): boolean => /mac|iphone|ipad/i.test(platform);

/**
 * Whether a key press is `keys`, such as `mod+k`, `shift+e` or `?`. `mod` is Cmd on Apple devices, else Ctrl. Shift is not compared for signs: which
 * signs need it depends on the keyboard.
 */
export function matchesKeys(press: KeyPress, keys: string, apple: boolean): boolean {
  const wanted = parts(keys);
  const key = wanted.at(-1) ?? '';
  if (press.key.toLowerCase() !== key) return false;
  const isMod = wanted.includes('mod');
  if (press.metaKey !== (isMod && apple) || press.ctrlKey !== (isMod && !apple)) return false;
  if (press.altKey !== wanted.includes('alt')) return false;
  const isSign = key.length === 1 && key.toLowerCase() === key.toUpperCase();
  return isSign || press.shiftKey === wanted.includes('shift');
}

/** Whether `keys` work while a text field has the focus. */
export const worksInFields = (keys: string): boolean => parts(keys).includes('mod');

/** `keys` for people: `Ctrl K`, or `⌘K` on Apple devices. */
export function keyLabel(keys: string, apple: boolean): string {
  const names = parts(keys).map((part) => {
    const modifier = MODIFIERS[part];
    if (modifier !== undefined) return modifier[apple ? 0 : 1];
    return NAMES[part] ?? (part.length === 1 ? part.toUpperCase() : part);
  });
  return names.join(apple ? '' : ' ');
}
