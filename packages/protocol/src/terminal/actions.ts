import type { URI } from '../common/types.ts';
import type { TerminalClaim } from './state.ts';

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

export interface TerminalClaimedAction {
  type: 'terminal/claimed';
  claim: TerminalClaim;
}

export interface TerminalClearedAction {
  type: 'terminal/cleared';
}

export interface TerminalCommandDetectionAvailableAction {
  type: 'terminal/commandDetectionAvailable';
}

export interface TerminalCommandExecutedAction {
  type: 'terminal/commandExecuted';
  commandId: string;
  commandLine: string;
  timestamp: number;
}

export interface TerminalCommandFinishedAction {
  type: 'terminal/commandFinished';
  commandId: string;
  exitCode?: number;
  durationMs?: number;
}

export interface TerminalCwdChangedAction {
  type: 'terminal/cwdChanged';
  cwd: URI;
}

export interface TerminalDataAction {
  type: 'terminal/data';
  data: string;
}

export interface TerminalExitedAction {
  type: 'terminal/exited';
  exitCode?: number;
}

export interface TerminalInputAction {
  type: 'terminal/input';
  data: string;
}

export interface TerminalResizedAction {
  type: 'terminal/resized';
  cols: number;
  rows: number;
}

export interface TerminalTitleChangedAction {
  type: 'terminal/titleChanged';
  title: string;
}
