import type { URI } from '../wire/basics.ts';

/**
 * Columns or lines of a terminal: what the window size of a pty can hold.
 * @asType integer
 * @minimum 1
 * @maximum 65535
 */
export type CellCount = number;

/** A pty and its output. */
export interface TerminalState {
  title: string;
  /** Absent: unknown. */
  cwd?: URI;
  /** Characters. Absent: 80 [TERM-1]. */
  cols?: CellCount;
  /** Lines. Absent: 24 [TERM-1]. */
  rows?: CellCount;
  /** Output in order; the oldest may be trimmed [TERM-4]. */
  content: TerminalContentPart[];
  lifecycle: TerminalLifecycle;
  claim: TerminalClaim;
  /** False: the program has pipes in place of a pty. Absent: unknown. */
  isPty?: boolean;
  /** True: the shell reports commands, even if there are no command parts yet. Absent: false. */
  supportsCommandDetection?: boolean;
  /** Absent: the host does not report it. */
  'x-trimmed'?: TrimmedOutput;
}

/**
 * Output that is no longer in a terminal's content [TERM-4]. Hosts and clients trim independently and without
 * an action; the sum of `units` and the length of the content is equal for all.
 */
export interface TrimmedOutput {
  /**
   * UTF-16 units of output that came before what the content holds.
   * @asType integer
   * @minimum 0
   */
  units: number;
  /** Whether the first part is the screen that the trimmed output left, and not output itself. */
  isFolded: boolean;
}

/** Entry of the host's catalogue of terminals. */
export interface TerminalInfo {
  resource: URI;
  title: string;
  claim: TerminalClaim;
  lifecycle: TerminalLifecycle;
}

/** Whether the process of a terminal runs [TERM-20]. */
export type TerminalLifecycle = TerminalRunning | TerminalExited;

/** The process runs. */
export interface TerminalRunning {
  status: 'running';
}

/** The process has ended. */
export interface TerminalExited {
  status: 'exited';
  /** 128 + n after signal n [TERM-6]. Absent: unknown. */
  exitCode?: number;
}

/** The holder of a terminal; there always is one [TERM-5]. */
export type TerminalClaim = TerminalClientClaim | TerminalSessionClaim;

/** A person uses it through a client. */
export interface TerminalClientClaim {
  kind: 'client';
  clientId: string;
}

/** A session's agent holds it. Without turn and tool call it runs in the background. */
export interface TerminalSessionClaim {
  kind: 'session';
  session: URI;
  /** The chat that uses it, one of that session [TERM-21]. */
  chat: URI;
  turnId?: string;
  toolCallId?: string;
}

/** A part of the output. */
export type TerminalContentPart = TerminalUnclassifiedPart | TerminalCommandPart;

/** Output outside of known commands. */
export interface TerminalUnclassifiedPart {
  type: 'unclassified';
  /** With escape sequences except those of shell integration [TERM-3]. */
  value: string;
}

/** A command and its output. */
export interface TerminalCommandPart {
  type: 'command';
  commandId: string;
  commandLine: string;
  /** With escape sequences except those of shell integration [TERM-3]; grows until the command completes. */
  output: string;
  /** Start in milliseconds since the epoch. */
  timestamp: number;
  isComplete: boolean;
  /** Absent: the command runs, or the shell did not report it. */
  exitCode?: number;
  durationMs?: number;
}
