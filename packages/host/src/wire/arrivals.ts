import type { Cancel, Timers } from '../lib/clock.ts';

/** Answers under way at once: each may read and write megabytes. */
export const MAX_ARRIVALS = 4;

/** Answers that are made and not read by their clients hold up further ones from so many bytes on. */
export const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** Shorter ones are not counted: what a socket reports as taken is exact only above its own buffer. */
const SMALL_BYTES = 64 * 1024;

/** Who does not read an answer for so long while others wait for room is cut off. */
const PATIENCE_MS = 10_000;

/** A connection, as far as it matters here. */
export interface Arriving {
  readonly isClosed: boolean;
  /** Bytes of answers that its client has not taken. */
  readonly unreadBytes: number;
  /** Ends it: it does not read, and others wait. */
  cutOff(): void;
}

/**
 * Lets connections have states and replays a few at a time, however many come at once: each costs time and memory, and after a restart all
 * come in one second. One begins in each turn of the event loop, so that others are answered in between; the rest wait in order.
 */
export class Arrivals<C extends Arriving> {
  readonly #timers: Timers;
  readonly #waiting = new Map<C, () => void>();
  readonly #running = new Set<C>();
  /** Who was answered and has not read it, the oldest first. */
  readonly #unread = new Map<C, number>();
  #unreadBytes = 0;
  #isTurnTaken = false;
  #cancelPatience: Cancel | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Runs `work` when it is its turn, in this very call if that is now. Of a connection that closes before nothing is run, or settles. */
  async run<T>(connection: C, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.size === 0 && this.#isOpen()) this.#begin(connection);
    else {
      await new Promise<void>((begin) => {
        this.#waiting.set(connection, begin);
        this.#watch();
      });
    }
    try {
      return await work();
    } finally {
      // When the answer has been handed over.
      this.#timers.immediate(() => this.#answered(connection));
    }
  }

  /** Whether it waits for its turn or has it. */
  has(connection: C): boolean {
    return this.#running.has(connection) || this.#waiting.has(connection);
  }

  /** The client has taken what was written for it. */
  drained(connection: C): void {
    if (this.#forgetUnread(connection)) this.#next();
  }

  /** The connection is over. */
  closed(connection: C): void {
    this.#waiting.delete(connection);
    this.#forgetUnread(connection);
    this.#next();
  }

  #isOpen(): boolean {
    return !this.#isTurnTaken && this.#running.size < MAX_ARRIVALS && this.#unreadBytes < MAX_UNREAD_BYTES;
  }

  #begin(connection: C): void {
    this.#running.add(connection);
    this.#isTurnTaken = true;
    this.#timers.immediate(() => {
      this.#isTurnTaken = false;
      this.#next();
    });
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first !== undefined && this.#isOpen()) {
      const [connection, begin] = first;
      this.#waiting.delete(connection);
      this.#begin(connection);
      begin();
    }
    this.#watch();
  }

  #answered(connection: C): void {
    this.#running.delete(connection);
    this.#forgetUnread(connection);
    const bytes = connection.unreadBytes;
    if (!connection.isClosed && bytes > SMALL_BYTES) {
      this.#unread.set(connection, bytes);
      this.#unreadBytes += bytes;
    }
    this.#next();
  }

  #forgetUnread(connection: C): boolean {
    const bytes = this.#unread.get(connection);
    if (bytes === undefined) return false;
    this.#unread.delete(connection);
    this.#unreadBytes -= bytes;
    return true;
  }

  /** While some wait because others do not read, those get so long and no longer. */
  #watch(): void {
    const isStuck = this.#waiting.size > 0 && this.#unreadBytes >= MAX_UNREAD_BYTES;
    if (isStuck === (this.#cancelPatience !== undefined)) return;
    this.#cancelPatience?.();
    this.#cancelPatience = undefined;
    if (!isStuck) return;
    const stuck = [...this.#unread.keys()];
    this.#cancelPatience = this.#timers.after(PATIENCE_MS, () => {
      this.#cancelPatience = undefined;
      for (const connection of stuck) if (this.#unread.has(connection)) connection.cutOff();
      this.#watch();
    });
  }
}
