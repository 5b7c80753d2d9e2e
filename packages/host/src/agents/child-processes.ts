import type { JournalWrite, StoredProcess } from '../journal/journal.ts';
import type { ChildRegistry } from './process.ts';
import { hasGroupMembers, processStartTime } from './process-identity.ts';

/** Where children are recorded, and how those that outlived a host are ended. */
export interface ChildProcessesOptions {
  /** Commits writes to the journal; resolves when they are durable. */
  write(writes: readonly JournalWrite[]): Promise<void>;
  listProcesses(): Promise<readonly StoredProcess[]>;
  /** Runs `callback` after `delayMs`. Default: a timer of the process. */
  after?(delayMs: number, callback: () => void): void;
  /** Told of orphans that were ended, and of records that could not be written. Default: nobody. */
  log?(level: 'info' | 'warn', message: string, fields: Readonly<Record<string, unknown>>): void;
  /** Between TERM and KILL for an orphan. Default 2 s. */
  graceMs?: number;
}

/** How often an orphan that was told to end is looked at. */
const pollMs = 50;

/** The children of this host, recorded in its journal so that the next start can end those that outlived it. */
export class ChildProcesses implements ChildRegistry {
  readonly #options: ChildProcessesOptions;

  constructor(options: ChildProcessesOptions) {
    this.#options = options;
  }

  async record(child: { pid: number; command: string }): Promise<void> {
    const startTime = await processStartTime(child.pid);
    // Already over: there is nothing that could outlive us.
    if (startTime === undefined) return;
    await this.#options.write([{ op: 'process', pid: child.pid, startTime, command: child.command }]);
  }

  forget(pid: number): void {
    this.#options.write([{ op: 'dropProcess', pid }]).catch((error: unknown) => {
      // The next start finds the pid gone, or another process under it, and drops the row.
      this.#options.log?.('warn', 'ended child not dropped', { pid, error: String(error) });
    });
  }

  /**
   * Ends recorded children that still run (same pid, same start time), and what is left of their process groups: TERM,
   * wait, KILL. Resolves when they are gone and their records are dropped. Called at start, before any child is started.
   */
  async endOrphans(): Promise<void> {
    const recorded = await this.#options.listProcesses();
    await Promise.all(recorded.map((child) => this.#endOrphan(child)));
    if (recorded.length > 0) {
      await this.#options.write(recorded.map(({ pid }): JournalWrite => ({ op: 'dropProcess', pid })));
    }
  }

  async #endOrphan(child: StoredProcess): Promise<void> {
    const { pid, command } = child;
    // 0 and 1 would mean our own group and everybody: no record of ours has them.
    if (pid <= 1 || !(await isAlive(child))) return;
    this.#options.log?.('info', 'ending an agent that outlived its host', { pid, command });
    this.#signal(pid, 'SIGTERM');
    if (await this.#goneWithin(child, this.#options.graceMs ?? 2_000)) return;
    this.#signal(pid, 'SIGKILL');
    if (!(await this.#goneWithin(child, 1_000))) {
      this.#options.log?.('warn', 'an agent cannot be ended', { pid, command });
    }
  }

  async #goneWithin(child: StoredProcess, limitMs: number): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < limitMs; waitedMs += pollMs) {
      if (!(await isAlive(child))) return true;
      await new Promise<void>((resolve) => this.#after(pollMs, resolve));
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
      // It ended between the look and the signal, or is not ours to end.
      this.#options.log?.('info', 'orphan not signalled', { pid, signal, error: String(error) });
    }
  }
}

async function isAlive(child: StoredProcess): Promise<boolean> {
  const startTime = await processStartTime(child.pid);
  if (startTime !== undefined) return startTime === child.startTime;
  return hasGroupMembers(child.pid, child.startTime);
}
