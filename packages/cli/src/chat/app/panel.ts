import type { KeyContext } from '../keys/bindings.ts';
import type { KeyEvent } from '../keys/key-event.ts';

/** A part of the screen that keys can go to. */
export interface Panel {
  /** Which keys there are. */
  readonly context: KeyContext;
  /** What holds now, by the names that bindings use. */
  conditions(): readonly string[];
  /** Does what a key is bound to. */
  run(command: string): void;
  /** Takes what is bound to nothing. */
  type?(event: KeyEvent): void;
  /** Takes pasted text. */
  paste?(text: string): void;
}
