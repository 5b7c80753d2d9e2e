import type { BaseParams, ConnectionParams, Count, URI } from '../wire/basics.ts';
import type { SessionActiveClient } from './state.ts';

/** `createSession`: `channel` is the URI of the new session [SESS-1] [SESS-2]. */
export interface CreateSessionParams extends BaseParams {
  /** Absent: the host's default agent. */
  provider?: string;
  /**
   * `file:` URIs, the primary one first [SESS-20]. All but the first are ignored if the agent has one directory only. Absent or empty:
   * `defaultDirectory`.
   */
  workingDirectories?: URI[];
  /** Extension: the session starts as a copy. Absent: it is empty. */
  'x-fork'?: SessionForkSource;
  /** Values by property name, as `resolveSessionConfig` describes. */
  config?: Record<string, unknown>;
  /** The caller joins at once, as by `session/activeClientSet`; only with its own client id. */
  activeClient?: SessionActiveClient;
  /**
   * Requests `root/progress` [ROOT-3]; unique among the caller's open requests. Absent: no progress is sent.
   */
  progressToken?: string;
  /**
   * Extension: no client is told of the session before its first message. Until then it ends with the caller, after the caller's grace
   * period. Absent: it is listed at once.
   */
  'x-unlisted'?: boolean;
}

/** The turn up to which a new session is a copy, inclusive [SESS-12]. */
export interface SessionForkSource {
  session: URI;
  turnId: string;
}

/** `disposeSession`: deletes the session in `channel` [SESS-3]. */
export interface DisposeSessionParams extends BaseParams {}

/** `x-diskUse` (extension): disk space of the session in `channel`. */
export interface DiskUseParams extends BaseParams {}

/** Bytes by content; the sum is the session's share of the host's database. */
export interface DiskUseResult {
  /** Completed turns. */
  turnsBytes: number;
  /** The other state of its channels. */
  stateBytes: number;
  /** Its envelopes in the replay window, which are removed with time. */
  windowBytes: number;
  /** Content behind the host's content URIs. */
  contentBytes: number;
}

/**
 * `x-drainHost` (extension): the host starts no new turns, and answers when none runs any more or after `timeoutSeconds`. It starts none until the
 * connection of the request closes.
 */
export interface DrainHostParams extends ConnectionParams {
  /** From 0 to 86,400. */
  timeoutSeconds: number;
}

/** How far a drain has come. */
export interface DrainHostResult {
  /** Turns that still run. */
  runningTurns: Count;
}

/**
 * `x-backup` (extension): the host writes a backup of its data folder to a new file of mode 0600 on its machine, while it runs. One backup at
 * a time.
 */
export interface BackupParams extends ConnectionParams {
  /** Absolute path, outside of the data folder, in a folder that exists. */
  file: string;
  /** Whether an existing file is replaced. Default false. */
  force?: boolean;
}

/** What was written. */
export interface BackupResult {
  file: string;
  /** Size of the file. */
  bytes: Count;
  /** Size of the database in it, not compressed. */
  databaseBytes: Count;
}

/** `x-checkHost` (extension): facts about the host's data for a diagnosis. Takes as long as a copy of the database, unless `skipDatabase` is set. */
export interface CheckHostParams extends ConnectionParams {
  /** Leaves out the check of the database. Default: false. */
  skipDatabase?: boolean;
}

/** What the host found. */
export interface CheckHostResult {
  /** Absent: the host has no data folder. */
  dataDir?: string;
  /** Version of Node that runs the host. */
  node: string;
  /** Process id of the host. */
  pid: Count;
  /** The host's clock, ms since the epoch. */
  now: Count;
  /** Time of the newest envelope before the host started, ms since the epoch; 0: there was none. */
  lastTime: Count;
  /**
   * ms by which the host's clock has moved against its steady clock since the host started: back if negative. A machine that slept counts as a
   * move forward.
   */
  clockMovedMs: number;
  /** Why the host cannot save changes now and refuses them, such as `there is no room on its disk`. Absent: it accepts changes. */
  refusesChanges?: string;
  /** SQLite's `quick_check` of a copy. Absent: it was skipped, or see `unchecked`. */
  database?: {
    bytes: Count;
    /** What is damaged. Absent: the database is sound. */
    fault?: string;
  };
  /** Why the database was not checked. */
  unchecked?: string;
  /** The database server that has the sessions. Absent: they are in the data folder. */
  databaseServer?: {
    /** Its kind, and its version if it answers, such as `PostgreSQL 15.13`. */
    name: string;
    /** Why the host cannot use it. Absent: it answers, and the host holds its cell. */
    fault?: string;
    /** The cell of the host. Absent: the server does not answer. */
    cell?: string;
    /** Version of the tables. Absent: the server does not answer. */
    tablesVersion?: Count;
  };
}

/** `x-hostDiskUse` (extension): disk space of the whole host. */
export interface HostDiskUseParams extends ConnectionParams {}

/** Bytes on the disks of the host. */
export interface HostDiskUseResult {
  /** The files of the database. */
  databaseBytes: Count;
  /** The part of `databaseBytes` that the host will use again before the files grow. */
  reusableBytes: Count;
  /** The part of `databaseBytes` that holds contents behind the host's content URIs. */
  contentBytes: Count;
  /** Log files. Absent: the host writes none. */
  logBytes?: Count;
  /** Free space of the disk with the host's data. Absent: unknown, or the data is in memory. */
  diskFreeBytes?: Count;
  /** Size of that disk. */
  diskBytes?: Count;
}
