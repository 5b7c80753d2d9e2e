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

/** Changes the holder of the terminal [TERM-5]. */
export interface TerminalClaimedAction {
  type: 'terminal/claimed';
  claim: TerminalClaim;
}

/** Empties the scrollback. */
export interface TerminalClearedAction {
  type: 'terminal/cleared';
}

/** The shell reports commands from now on. */
export interface TerminalCommandDetectionAvailableAction {
  type: 'terminal/commandDetectionAvailable';
}

/** A command starts. Output belongs to it until it has finished [TERM-2]. */
export interface TerminalCommandExecutedAction {
  type: 'terminal/commandExecuted';
  /** Unique in this terminal. */
  commandId: string;
  commandLine: string;
  /** Milliseconds since the epoch, by the host's clock. */
  timestamp: number;
}

/** Completes the part with this command id [TERM-2]. */
export interface TerminalCommandFinishedAction {
  type: 'terminal/commandFinished';
  commandId: string;
  /** Absent: not reported by the shell. */
  exitCode?: number;
  durationMs?: number;
}

/** The shell changed its directory. */
export interface TerminalCwdChangedAction {
  type: 'terminal/cwdChanged';
  cwd: URI;
}

/** Appends output of the pty [TERM-2]. */
export interface TerminalDataAction {
  type: 'terminal/data';
  /** Never cut inside a character. Contains escape sequences except those of shell integration [TERM-3]. */
  data: string;
}

/** The process has ended. */
export interface TerminalExitedAction {
  type: 'terminal/exited';
  /** Always present with this host; 128 + n for signal n [TERM-6]. */
  exitCode?: number;
}

/**
 * Input for the pty, which may contain passwords: not predicted, not journaled, no change of state [TERM-2]
 * [REC-2].
 */
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

/** A new title from the program or a person. */
export interface TerminalTitleChangedAction {
  type: 'terminal/titleChanged';
  title: string;
}
