import type { URI } from '@agenthost/protocol';
import type { Marks } from '../../render/screen.ts';
import type { Binding, KeyContext } from '../keys/bindings.ts';
import type { KeyEvent } from '../keys/key-event.ts';
import { type Line, line } from '../text/line.ts';
import type { Frame, Size } from './frame.ts';

/** A part of the screen that takes keys. */
export interface Panel {
  /** Its key bindings. */
  readonly context: KeyContext;
  /** Conditions that hold now, by the names that bindings use in `when`. */
  conditions(): readonly string[];
  /** Runs the command of a key. */
  run(command: string): void;
  /** Takes a key without a binding. */
  type?(event: KeyEvent): void;
  /** Takes pasted text. */
  paste?(text: string): void;
}

/** A panel as lines. The line at `focus` must be visible. */
export interface OverlayLines {
  readonly lines: readonly Line[];
  readonly focus: number;
  readonly cursor?: { readonly x: number; readonly y: number };
}

/** A panel on top of a chat. It takes all keys. */
export interface OverlayPanel extends Panel {
  readonly title: string;
  lines(width: number): OverlayLines;
  dispose?(): void;
}

/** Parts of the window that a screen shows but does not own. */
export interface Surroundings {
  readonly status: Line;
  readonly hints: readonly Binding[];
  readonly marks: Marks;
  readonly home: string;
}

/** A full-window view. */
export interface Screen extends Panel {
  frame(size: Size, around: Surroundings): Frame;
  dispose(): void;
}

/** Requests of a screen to the program. */
export interface ScreenActions {
  /** To the screen before. */
  back(): void;
  /** Ends the program; sessions go on. */
  leave(): void;
  /** The session was removed. */
  gone(session: URI): void;
  /** Opens a session. */
  open(session: URI): void;
}

/** Asks for confirmation of an action that cannot be undone. */
export class ConfirmPanel implements OverlayPanel {
  readonly context: KeyContext = 'confirm';
  readonly title = 'Are you sure?';
  readonly #question: string;
  readonly #yes: () => void;
  readonly #close: () => void;

  constructor(question: string, yes: () => void, close: () => void) {
    this.#question = question;
    this.#yes = yes;
    this.#close = close;
  }

  conditions(): readonly string[] {
    return [];
  }

  lines(): OverlayLines {
    return { lines: [line(this.#question)], focus: 0 };
  }

  run(command: string): void {
    this.#close();
    if (command === 'yes') this.#yes();
  }
}
