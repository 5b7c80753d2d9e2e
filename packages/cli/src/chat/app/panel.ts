import type { URI } from '@agenthost/protocol';
import type { Marks } from '../../render/screen.ts';
import type { Binding, KeyContext } from '../keys/bindings.ts';
import type { KeyEvent } from '../keys/key-event.ts';
import { type Line, line } from '../text/line.ts';
import type { Frame, Size } from './frame.ts';

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

/** What of the window belongs to others: the connection, and what the person is told. */
export interface Surroundings {
  readonly status: Line;
  readonly hints: readonly Binding[];
  readonly marks: Marks;
  readonly home: string;
}

/** What fills the window. */
export interface Screen extends Panel {
  frame(size: Size, around: Surroundings): Frame;
  dispose(): void;
}

/** What a screen may ask of the program. */
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

/** Asks before something is done that cannot be undone. */
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
