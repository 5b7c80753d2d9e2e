import type { KeyContext } from '../keys/bindings.ts';
import type { KeyEvent } from '../keys/key-event.ts';
import type { Line } from '../text/line.ts';

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

/** A panel as lines; the one at `focus` has to be in sight. */
export interface OverlayLines {
  readonly lines: readonly Line[];
  readonly focus: number;
  readonly cursor?: { readonly x: number; readonly y: number };
}

/** A panel that lies over a chat and takes all keys. */
export interface OverlayPanel extends Panel {
  readonly title: string;
  lines(width: number): OverlayLines;
  dispose?(): void;
}
