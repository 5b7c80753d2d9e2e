import type { URI } from '@agenthost/protocol';
import type { Surroundings } from '../room/room-frame.ts';
import type { Frame, Size } from './frame.ts';
import type { Panel } from './panel.ts';

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
