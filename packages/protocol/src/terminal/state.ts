import type { URI } from '../wire/basics.ts';

/**
 * Columns or lines of a terminal: what the window size of a pty can hold.
 * @asType integer
 * @minimum 1
 * @maximum 65535
 */
export type CellCount = number;

/** A pty and what it has put out. */
export interface TerminalState {
  title: string;
  /** Absent: unknown. */
  cwd?: URI;
  /** Characters. Absent: 80 [TERM-1]. */
  cols?: CellCount;
  /** Lines. Absent: 24 [TERM-1]. */
  rows?: CellCount;
  /** Output in order; the oldest may be trimmed away [TERM-4]. */
  content: TerminalContentPart[];
  /** Absent while the process runs. One ended by signal n has 128 + n [TERM-6]. */
  exitCode?: number;
  claim: TerminalClaim;
  /** True once the shell reports commands; parts do not tell, since there may be none yet. Absent: false. */
  supportsCommandDetection?: boolean;
  /** Absent: the host does not tell. */
  'x-trimmed'?: TrimmedOutput;
}

/**
 * What a terminal has put out to its host and its content does not hold any more [TERM-4]. Hosts and clients trim without an action, each on its
 * own: what they have in common is the sum of `units` and what the content holds.
 */
export interface TrimmedOutput {
  /**
   * UTF-16 units of output that came before what the content holds.
   * @asType integer
   * @minimum 0
   */
  units: number;
  /** Whether the first part is the screen that they left, and no output of its own. */
  isFolded: boolean;
}

/** Entry of the host's catalogue of terminals. */
export interface TerminalInfo {
  resource: URI;
  title: string;
  claim: TerminalClaim;
  /** Absent while the process runs. */
  exitCode?: number;
}

/** Who holds a terminal; somebody always does [TERM-5]. */
export type TerminalClaim = TerminalClientClaim | TerminalSessionClaim;

/** A person works in it through a client. */
export interface TerminalClientClaim {
  kind: 'client';
  clientId: string;
}

/** A session's agent has it. Without turn and tool call, it runs in the background. */
export interface TerminalSessionClaim {
  kind: 'session';
  session: URI;
  turnId?: string;
  toolCallId?: string;
}

/** A stretch of output. */
export type TerminalContentPart = TerminalUnclassifiedPart | TerminalCommandPart;

/** Output that belongs to no known command. */
export interface TerminalUnclassifiedPart {
  type: 'unclassified';
  /** With escape sequences, but for those of shell integration [TERM-3]. */
  value: string;
}

/** A command and its output. */
export interface TerminalCommandPart {
  type: 'command';
  commandId: string;
  commandLine: string;
  /** With escape sequences, but for those of shell integration [TERM-3]; grows until complete. */
  output: string;
  /** Start, in ms since the epoch. */
  timestamp: number;
  isComplete: boolean;
  /** Absent: not complete, or the shell did not say. */
  exitCode?: number;
  durationMs?: number;
}
