import type { Clock, Ids, Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { PtyOwner } from '../pty/pty.ts';
import type { Sync } from '../sync/sync.ts';

/** The parts of a host that terminals use. */
export interface TerminalParts {
  readonly sync: Sync;
  readonly owner: PtyOwner;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: TerminalSettings;
  /** A channel that a client opened without subscribing may leave memory after this many ms. */
  readonly unloadAfterMs: number;
  /** The limit of terminals, ended ones included. At the limit, a new terminal replaces the oldest ended one that a session holds. */
  maxTerminals(): number;
}

/** Settings of all terminals. */
export interface TerminalSettings {
  /** Limit of the output in a terminal's state, in UTF-16 code units [TERM-4]. Clients can change it. */
  scrollbackLength(): number;
  /** Absolute path of the shell for terminals without a command. Absent: the user's shell. */
  readonly shell?: string;
  /** Added to the usual environment of every terminal. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether shells report their commands. */
  readonly hasShellIntegration: boolean;
  /** Absolute path of the folder for start-up files of shells that outlive the host. Absent: no shell outlives the host. */
  readonly shellFolder?: string;
  /** The version of agenthost. Programs see it as `TERM_PROGRAM_VERSION`. */
  readonly version: string;
}
