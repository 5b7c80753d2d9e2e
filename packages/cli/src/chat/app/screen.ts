import type { URI } from '@agenthost/protocol';
import type { Marks } from '../../render/screen.ts';
import type { Binding } from '../keys/bindings.ts';
import type { Line } from '../text/line.ts';
import type { Frame, Size } from './frame.ts';
import type { Panel } from './panel.ts';

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
