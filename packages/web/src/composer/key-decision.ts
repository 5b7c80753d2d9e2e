/** The facts that decide about a key in the message field. */
export interface FieldKey {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** An input method composes a character. */
  readonly isComposing: boolean;
  /** Enter breaks the line, as on touch screens. */
  readonly doesEnterBreak: boolean;
  /** A turn runs. */
  readonly isRunning: boolean;
  /** There is nothing to send. */
  readonly isEmpty: boolean;
}

/** The command of a key in the message field. `send` starts a turn, or queues while one runs. */
export type FieldCommand = 'send' | 'steer' | 'edit-last' | 'escape';

/** The command of a key; `undefined` when the field handles the key itself. */
export function fieldCommand(pressed: FieldKey): FieldCommand | undefined {
  const { key, shiftKey, ctrlKey, metaKey, altKey, isComposing, doesEnterBreak, isRunning, isEmpty } =
    pressed;
  if (isComposing) return undefined;
  switch (key) {
    case 'Enter':
      if (shiftKey) return undefined;
      if (altKey) return isRunning && !isEmpty ? 'steer' : undefined;
      if (ctrlKey || metaKey) return 'send';
      return doesEnterBreak ? undefined : 'send';
    case 'ArrowUp':
      return isEmpty && !shiftKey && !ctrlKey && !metaKey && !altKey ? 'edit-last' : undefined;
    case 'Escape':
      return 'escape';
    default:
      return undefined;
  }
}
