import { AgentError } from '@agenthost/host/agent';
import type { AcpLog, AcpTimers } from '../runtime.ts';
import type { AcpConnection } from './connection.ts';

/** A connection in use. Its process is not stopped for idleness while a lease is held. */
export interface ConnectionLease {
  readonly connection: AcpConnection;
  /** Releases the connection. Idempotent. */
  release(): void;
}

interface Entry {
  readonly opening: Promise<AcpConnection>;
  /** Settles when the process runs; stays pending when it never does. */
  readonly running: Promise<void>;
  /** Abandons the start. */
  readonly abandon: AbortController;
  useCount: number;
  cancelIdle: (() => void) | undefined;
}

/** How a pool starts connections and when it stops idle ones. */
export interface ConnectionPoolOptions {
  /** Starts an agent in this folder. The signal ends the attempt. */
  readonly start: (cwd: string, signal: AbortSignal, onRunning: () => void) => Promise<AcpConnection>;
  readonly timers: AcpTimers;
  readonly log: AcpLog;
  /** Time until an unused process is stopped, in milliseconds. */
  readonly idleMs: number;
}

/**
 * The connections of one provider by key: one for all chats, or one per chat. Started on first use and
 * stopped when idle.
 */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #entries = new Map<string, Entry>();
  /** Connections in use that are not handed out again. */
  readonly #retired = new Set<Entry>();
  #isDisposed = false;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  /**
   * Returns the connection of `key`, started when there is none. `onRunning` is called when its process runs.
   * Rejects with `AgentError`.
   */
  async acquire(key: string, cwd: string, onRunning: () => void): Promise<ConnectionLease> {
    if (this.#isDisposed) throw new AgentError('agentExited', 'the host is stopping its agents');
    const entry = this.#entries.get(key) ?? this.#open(key, cwd);
    void entry.running.then(onRunning);
    entry.useCount += 1;
    entry.cancelIdle?.();
    entry.cancelIdle = undefined;
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      this.#release(key, entry);
    };
    try {
      return { connection: await entry.opening, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Stops the connection of `key`, if there is one. */
  async drop(key: string, because: string): Promise<void> {
    const entry = this.#entries.get(key);
    if (entry !== undefined) await this.#stop(key, entry, because);
  }

  /** Stops handing out the connection of `key`. It is stopped when its last lease is released. */
  retire(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#forget(key, entry);
    this.#retired.add(entry);
    this.#stopUnused(key, entry);
  }

  /** Stops all connections, including those that are starting. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    const because = 'the host is stopping its agents';
    const retired = [...this.#retired].map((entry) => ['', entry] as const);
    await Promise.all([...this.#entries, ...retired].map(([key, entry]) => this.#stop(key, entry, because)));
  }

  #open(key: string, cwd: string): Entry {
    const abandon = new AbortController();
    const { promise: running, resolve: onRunning } = Promise.withResolvers<void>();
    const opening = this.#options.start(cwd, abandon.signal, onRunning);
    const entry: Entry = { opening, running, abandon, useCount: 0, cancelIdle: undefined };
    this.#entries.set(key, entry);
    entry.opening
      .then((connection) => connection.closed)
      .then(
        () => this.#forget(key, entry),
        () => this.#forget(key, entry),
      );
    return entry;
  }

  #release(key: string, entry: Entry): void {
    entry.useCount -= 1;
    this.#stopUnused(key, entry);
    if (entry.useCount > 0 || this.#entries.get(key) !== entry) return;
    entry.cancelIdle = this.#options.timers.after(this.#options.idleMs, () => {
      this.#options.log('info', 'agent stopped, idle', { key });
      // The process reports a failure to end.
      void this.#stop(key, entry, 'it was idle');
    });
  }

  #stopUnused(key: string, entry: Entry): void {
    if (entry.useCount > 0 || !this.#retired.delete(entry)) return;
    void this.#stop(key, entry, 'a permission that it remembers was revoked');
  }

  async #stop(key: string, entry: Entry, because: string): Promise<void> {
    this.#forget(key, entry);
    entry.abandon.abort();
    const connection = await entry.opening.catch(() => undefined);
    await connection?.close(because);
  }

  #forget(key: string, entry: Entry): void {
    entry.cancelIdle?.();
    entry.cancelIdle = undefined;
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    this.#retired.delete(entry);
  }
}
