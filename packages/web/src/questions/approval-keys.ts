/** The parts of a keyboard event that decide. */
export interface PanelKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly isComposing: boolean;
}

/** The command of a key in an approval panel. */
export type PanelCommand = 'allow' | 'deny' | 'edit' | { readonly option: number };

/** The command of a key; `undefined` when the panel does not know the key. */
export function panelCommand({
  key,
  ctrlKey,
  metaKey,
  altKey,
  isComposing,
}: PanelKey): PanelCommand | undefined {
  if (ctrlKey || metaKey || altKey || isComposing) return undefined;
  switch (key) {
    case 'a':
    case 'A':
      return 'allow';
    case 'd':
    case 'D':
      return 'deny';
    case 'e':
    case 'E':
      return 'edit';
    default:
      return /^[1-9]$/.test(key) ? { option: Number(key) - 1 } : undefined;
  }
}
