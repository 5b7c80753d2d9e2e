import type { Cancel, Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';

/** Key of the chats whose queues are held, as a JSON array of URIs. */
const KEY = 'heldQueues';
/** Interval of the counts while a drain waits for running turns. */
const POLL_MS = 200;

/** Why a client may not start a turn while the host drains, and what to do. */
export const DRAINING =
  'The host finishes its running turns before it stops, and starts no new ones: send the message to the queue, or again when the host is back';

/** Work that waits while the host drains. */
export interface DrainedWork {
  /** Number of its running units, in addition to turns. */
  count?(): number;
  /** Starts the waiting work. Called when a drain ends, and at the start of a host. */
  resume(): void;
}

/**
 * Keeps new turns from starting while the host drains. Running turns continue. Queued messages and runs of automations start when the drain ends, or at
 * the next start of a host: the journal has the chats whose queue would have started.
 */
export class Drain {
  readonly #sync: Sync;
  readonly #timers: Timers;
  readonly #log: Log;
  /** The parties that drain the host: connections and callers of `Host.drain`. */
  readonly #holders = new Set<object>();
  readonly #works: DrainedWork[] = [];
  readonly #onBegin: DrainParts['onBegin'];
  #held: ReadonlySet<string>;
  readonly #waiting = new Set<() => void>();
  #isStopped = false;
  #hasResumed = false;

  private constructor({ sync, timers, log, onBegin }: DrainParts, held: ReadonlySet<string>) {
    this.#sync = sync;
    this.#timers = timers;
    this.#log = log;
    this.#onBegin = onBegin;
    this.#held = held;
  }

  /** Reads which queues an earlier host has held. */
  static async load(parts: DrainParts): Promise<Drain> {
    const text = await parts.sync.journal.readMeta(KEY);
    // `#setHeld` wrote the value.
    const held: string[] = text === undefined ? [] : JSON.parse(text);
    return new Drain(parts, new Set(held));
  }

  /** Whether no turn may start. */
  get isOn(): boolean {
    return this.#holders.size > 0;
  }

  /** Chats whose queue starts when the drain is over. */
  get heldChats(): ReadonlySet<string> {
    return this.#held;
  }

  /** Number of turns that run, and of other work that counts. */
  get runningCount(): number {
    let count = 0;
    for (const chat of this.#sync.registry.ofKind('chat'))
      if (chat.state.activeTurn !== undefined) count += 1;
    for (const work of this.#works) count += work.count?.() ?? 0;
    return count;
  }

  /** Adds work that waits while the host drains. */
  add(work: DrainedWork): void {
    this.#works.push(work);
  }

  /** Records that the queue of this chat has to start when the drain is over. */
  hold(tx: Tx, chat: string): void {
    if (!this.#held.has(chat)) this.#setHeld(tx, new Set([...this.#held, chat]));
  }

  /** Removes a chat from those whose queue is held. */
  release(tx: Tx, chat: string): void {
    if (this.#held.has(chat)) this.#setHeld(tx, new Set([...this.#held].filter((each) => each !== chat)));
  }

  /**
   * Drains the host for a holder until `end` is called for it. Resolves with the number of turns that still run: 0 as soon as none is left, and
   * otherwise after `timeoutMs` or when the drain of the holder ends. Each call waits for itself, also the second one of a holder.
   */
  async begin(holder: object, timeoutMs: number): Promise<number> {
    this.#holders.add(holder);
    const runningTurns = this.runningCount;
    this.#log.info({ timeoutMs, runningTurns }, 'the host drains: no new turns start');
    this.#onBegin({ timeoutMs, runningTurns });
    await this.#untilIdle(holder, timeoutMs);
    return this.runningCount;
  }

  /** Ends the drain of a holder. If it was the last one, the host starts turns again, also the waiting ones. */
  end(holder: object): void {
    if (!this.#holders.delete(holder)) return;
    for (const look of [...this.#waiting]) look();
    if (this.isOn || this.#isStopped) return;
    this.#log.info({}, 'the drain is over: the host starts turns again');
    this.resume();
  }

  /** Whether the work that waited for the start of this host was started. */
  get hasResumed(): boolean {
    return this.#hasResumed;
  }

  /** Starts what waited. Call it when the host runs. */
  resume(): void {
    this.#hasResumed = true;
    for (const work of this.#works) work.resume();
  }

  /** Starts nothing any more. */
  stop(): void {
    this.#isStopped = true;
    for (const look of [...this.#waiting]) look();
  }

  /** Whether the host was stopped. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  #untilIdle(holder: object, timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let cancelPoll: Cancel = () => undefined;
    const finish = (): void => {
      this.#waiting.delete(look);
      cancelPoll();
      cancelLimit();
      resolve();
    };
    const look = (): void => {
      cancelPoll();
      if (this.#isStopped || !this.#holders.has(holder) || this.runningCount === 0) finish();
      else cancelPoll = this.#timers.after(POLL_MS, look);
    };
    const cancelLimit = this.#timers.after(timeoutMs, finish);
    this.#waiting.add(look);
    look();
    return promise;
  }

  #setHeld(tx: Tx, held: ReadonlySet<string>): void {
    const before = this.#held;
    tx.undo(() => {
      this.#held = before;
    });
    this.#held = held;
    tx.write({ op: 'meta', key: KEY, value: JSON.stringify([...held]) });
  }
}

interface DrainParts {
  readonly sync: Sync;
  readonly timers: Timers;
  readonly log: Log;
  /** Called at the begin of each drain. */
  onBegin(begun: { readonly timeoutMs: number; readonly runningTurns: number }): void;
}
