import type { Clock, Ids, Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { PtyOwner } from '../pty/pty.ts';
import type { Sync } from '../sync/sync.ts';

/** What running terminals needs. */
export interface TerminalParts {
  readonly sync: Sync;
  readonly owner: PtyOwner;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: TerminalSettings;
  /** A client that opened a channel without subscribing releases it after this many ms. */
  readonly unloadAfterMs: number;
  /** How many there may be at once, ended ones included: of these the oldest that a session holds goes for a new one. */
  maxTerminals(): number;
}

/** How a host's terminals are, as its options say. */
export interface TerminalSettings {
  /** UTF-16 code units of output that a terminal's state holds at most [TERM-4]. */
  readonly scrollbackLength: number;
  /** Absolute path of the shell that runs where no command is given; absent: the user's. */
  readonly shell?: string;
  /** Set on top of the usual environment of every terminal. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether shells are started so that they report their commands. */
  readonly hasShellIntegration: boolean;
  /** Absolute path of the folder for the start-up files of shells that outlive the host; absent: none does. */
  readonly shellFolder?: string;
  /** Of agenthost; programs see it as `TERM_PROGRAM_VERSION`. */
  readonly version: string;
}
