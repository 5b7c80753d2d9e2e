import type { URI } from '../wire/basics.ts';
import type { CellCount, TerminalClaim } from './state.ts';

/** Every action of a terminal channel. */
export type TerminalAction =
  | TerminalClaimedAction
  | TerminalClearedAction
  | TerminalCommandDetectionAvailableAction
  | TerminalCommandExecutedAction
  | TerminalCommandFinishedAction
  | TerminalCwdChangedAction
  | TerminalDataAction
  | TerminalExitedAction
  | TerminalInputAction
  | TerminalResizedAction
  | TerminalTitleChangedAction;

/** The terminal changes hands [TERM-5]. */
export interface TerminalClaimedAction {
  type: 'terminal/claimed';
  claim: TerminalClaim;
}

/** Empties the scrollback. */
export interface TerminalClearedAction {
  type: 'terminal/cleared';
}

/** From now on the shell reports commands. */
export interface TerminalCommandDetectionAvailableAction {
  type: 'terminal/commandDetectionAvailable';
}

/** A command starts; output belongs to it until it has finished [TERM-2]. */
export interface TerminalCommandExecutedAction {
  type: 'terminal/commandExecuted';
  /** Unique in this terminal. */
  commandId: string;
  commandLine: string;
  /** Ms since the epoch, by the host's clock. */
  timestamp: number;
}

/** Completes the part with that id [TERM-2]. */
export interface TerminalCommandFinishedAction {
  type: 'terminal/commandFinished';
  commandId: string;
  /** Absent: the shell did not say. */
  exitCode?: number;
  durationMs?: number;
}

/** The shell went elsewhere. */
export interface TerminalCwdChangedAction {
  type: 'terminal/cwdChanged';
  cwd: URI;
}

/** Output of the pty, appended [TERM-2]. */
export interface TerminalDataAction {
  type: 'terminal/data';
  /** Never cut inside a character; escape sequences kept but for those of shell integration [TERM-3]. */
  data: string;
}

/** The process is gone. */
export interface TerminalExitedAction {
  type: 'terminal/exited';
  /** Always given by our host; 128 + n for signal n [TERM-6]. */
  exitCode?: number;
}

/** Keys for the pty, passwords among them: neither predicted nor journaled, and no change of state [TERM-2] [REC-2]. */
export interface TerminalInputAction {
  type: 'terminal/input';
  data: string;
}

/** A new size, in characters and lines. */
export interface TerminalResizedAction {
  type: 'terminal/resized';
  cols: CellCount;
  rows: CellCount;
}

/** A new title, from the program or from a person. */
export interface TerminalTitleChangedAction {
  type: 'terminal/titleChanged';
  title: string;
}
