import type { JournalWrite } from '../journal/journal.ts';
import type { StoredProcess } from '../journal/rows.ts';
import { hasGroupMembers, processStartTime } from './process-identity.ts';
import type { ChildRegistry } from './provider.ts';

/** How child processes are recorded, and how those that outlived a host are ended. */
export interface ChildProcessesOptions {
  /** Commits writes to the journal; resolves when they are durable. */
  write(writes: readonly JournalWrite[]): Promise<void>;
  listProcesses(): Promise<readonly StoredProcess[]>;
  readMeta(key: string): Promise<string | undefined>;
  /** Runs `callback` after `delayMs`. Default: a timer of the process. */
  after?(delayMs: number, callback: () => void): void;
  /** Called for orphans that were ended and for records that could not be written. Default: no log. */
  log?(level: 'info' | 'warn', message: string, fields: Readonly<Record<string, unknown>>): void;
  /** Time between TERM and KILL for an orphan, in ms. Default 2,000. */
  graceMs?: number;
}

/** Key of the meta row with the pid and start time of the host that recorded the children. */
const HOST_KEY = 'hostProcess';

/** Interval of the checks whether an orphan has ended. */
const POLL_MS = 50;

/**
 * Ends the recorded processes of an earlier host on this machine, as `ChildProcesses.endOrphans` does, and leaves their records to the host that
 * holds the journal.
 */
export const endRecorded = (
  recorded: Pick<ChildProcessesOptions, 'listProcesses' | 'readMeta'>,
): Promise<void> => new ChildProcesses({ ...recorded, write: async () => undefined }).endOrphans();

/**
 * The child processes of this host. Recorded in the journal, so that the next start can end those that
 * outlived the host.
 */
export class ChildProcesses implements ChildRegistry {
  readonly #options: ChildProcessesOptions;
  #identity: string | undefined;

  constructor(options: ChildProcessesOptions) {
    this.#options = options;
  }

  async record(child: { pid: number; command: string }): Promise<void> {
    const startTime = await processStartTime(child.pid);
    // The process has already ended and cannot outlive the host.
    if (startTime === undefined) return;
    await this.#options.write([
      { op: 'process', pid: child.pid, startTime, command: child.command },
      { op: 'meta', key: HOST_KEY, value: await this.#ownIdentity() },
    ]);
  }

  forget(pid: number): void {
    this.#options.write([{ op: 'dropProcess', pid }]).catch((error: unknown) => {
      // The next start finds no such process, or another one with the pid, and drops the row.
      this.#options.log?.('warn', 'could not drop the record of an ended process', {
        pid,
        error: String(error),
      });
    });
  }

  /**
   * Ends recorded children that still run (same pid, same start time) and the rest of their process groups:
   * TERM, wait, KILL. Resolves when they have ended and their records are dropped. Call it at start, before
   * any child is started. If the host that recorded them still runs, the journal is a copy of that host's
   * journal, and its children are not ended.
   */
  async endOrphans(): Promise<void> {
    const recorded = await this.#options.listProcesses();
    if (recorded.length > 0 && (await this.#isCopy())) {
      this.#options.log?.(
        'warn',
        'the data folder is a copy of the folder of a running host; the agents of that host are not ended',
        {},
      );
    } else await Promise.all(recorded.map((child) => this.#endOrphan(child)));
    if (recorded.length > 0) {
      await this.#options.write(recorded.map(({ pid }): JournalWrite => ({ op: 'dropProcess', pid })));
    }
  }

  async #ownIdentity(): Promise<string> {
    this.#identity ??= identity(process.pid, await processStartTime(process.pid));
    return this.#identity;
  }

  /** This host holds the lock of the journal. If the previous writer still runs, it uses another file. */
  async #isCopy(): Promise<boolean> {
    const last = await this.#options.readMeta(HOST_KEY);
    const pid = Number.parseInt(last ?? '', 10);
    if (!(pid > 1) || pid === process.pid) return false;
    const startTime = await processStartTime(pid);
    return startTime !== undefined && last === identity(pid, startTime);
  }

  async #endOrphan(child: StoredProcess): Promise<void> {
    const { pid, command } = child;
    // 0 and 1 would address this process group and all processes. No record contains them.
    if (pid <= 1 || !(await isAlive(child))) return;
    this.#options.log?.('info', 'ending an agent that outlived its host', { pid, command });
    this.#signal(pid, 'SIGTERM');
    if (await this.#goneWithin(child, this.#options.graceMs ?? 2_000)) return;
    this.#signal(pid, 'SIGKILL');
    if (!(await this.#goneWithin(child, 1_000))) {
      this.#options.log?.('warn', 'could not end an agent process', { pid, command });
    }
  }

  async #goneWithin(child: StoredProcess, limitMs: number): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < limitMs; waitedMs += POLL_MS) {
      if (!(await isAlive(child))) return true;
      await new Promise<void>((resolve) => this.#after(POLL_MS, resolve));
    }
    return !(await isAlive(child));
  }

  #after(delayMs: number, callback: () => void): void {
    if (this.#options.after === undefined) setTimeout(callback, delayMs);
    else this.#options.after(delayMs, callback);
  }

  #signal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
    try {
      process.kill(-pid, signal);
    } catch (error) {
      // The process ended before the signal, or belongs to another user.
      this.#options.log?.('info', 'could not signal an orphaned process', {
        pid,
        signal,
        error: String(error),
      });
    }
  }
}

const identity = (pid: number, startTime: string | undefined): string => `${pid} ${startTime ?? ''}`;

async function isAlive(child: StoredProcess): Promise<boolean> {
  const startTime = await processStartTime(child.pid);
  if (startTime !== undefined) return startTime === child.startTime;
  return hasGroupMembers(child.pid, child.startTime);
}
