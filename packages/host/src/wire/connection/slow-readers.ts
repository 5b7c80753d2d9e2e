import type { TokenIdentity } from '../../auth/access-tokens.ts';
import type { Cancel, Timers } from '../../lib/clock.ts';
import type { OutboxLimits } from './outbox.ts';
import { HeldBytes } from './shared-envelopes.ts';

const LOOK_MS = 250;

/**
 * A client with more than `hardBytes` waiting is judged by the bytes it takes in this many looks (30 s). Systems take more from a sender in lumps of a
 * sixteenth of the receiver's buffer, up to 400 kB, which a client that reads 20 kB a second does each 20 s.
 */
const WINDOW_LOOKS = 120;

/** In that time it has to take this share of `hardBytes`, 64 KiB by default: slower, it would need an hour for them. */
const LEAST_SHARE = 1 / 128;

/**
 * With more than `hardBytes` queued behind the frame being sent, a client must be able to take everything within this many windows (2 min). Snapshots
 * serve a slower client better than older changes.
 */
const MOST_WINDOWS = 4;

/** When memory is short, a client that took less than that share in this many looks (1 s) counts as not reading. */
const SHORT_LOOKS = 4;

/** Above this multiple of `totalBytes` the slowest are closed, whether or not they read. */
const SLOWEST_FACTOR = 4;

/** So many are closed in one turn of the event loop, so that others are answered in between. */
const CLOSED_AT_ONCE = 16;

/** A connection, as far as it matters here. */
export interface SlowReader {
  readonly identity: TokenIdentity;
  readonly isClosed: boolean;
  /** Bytes that wait for its client, responses aside. */
  readonly waitingBytes: number;
  /** Of those the ones behind what has been handed to its transport, which is one large envelope at most. */
  readonly queuedBytes: number;
  /** Bytes that its client has taken since it came. */
  readonly takenBytes: number;
  /** Ends it: it reads too slowly. */
  fallBehind(): void;
}

interface Progress {
  lookCount: number;
  takenBefore: number;
}

/**
 * Ends connections whose clients read too slowly. That is decided by what they take while something waits, however large one envelope
 * is, and, where all that waits takes too much memory, by who takes the least.
 */
export class SlowReaders<C extends SlowReader> {
  /** What envelopes that wait take in memory. */
  readonly memory = new HeldBytes(() => this.#grown());
  readonly #timers: Timers;
  readonly #connections: Iterable<C>;
  readonly #limits: Pick<OutboxLimits, 'hardBytes' | 'totalBytes'>;
  readonly #progress = new Map<C, Progress>();
  #cancelLook: Cancel | undefined;
  #isRelieving = false;

  constructor(parts: {
    timers: Timers;
    /** All of the host, at any time. */
    connections: Iterable<C>;
    limits: Pick<OutboxLimits, 'hardBytes' | 'totalBytes'>;
  }) {
    this.#timers = parts.timers;
    this.#connections = parts.connections;
    this.#limits = parts.limits;
  }

  /** More than `hardBytes` wait for a connection: looks until that is over. */
  watch(): void {
    this.#cancelLook ??= this.#timers.after(LOOK_MS, () => {
      this.#cancelLook = undefined;
      if (this.#look()) this.watch();
      else this.#progress.clear();
    });
  }

  /** The connection is over. The last one leaves no timer. */
  closed(connection: C): void {
    this.#progress.delete(connection);
    for (const _ of this.#connections) return;
    this.#cancelLook?.();
    this.#cancelLook = undefined;
  }

  #grown(): void {
    const { totalBytes } = this.#limits;
    if (this.memory.total > totalBytes) this.watch();
    const mostBytes = SLOWEST_FACTOR * totalBytes;
    if (this.memory.total > mostBytes) this.#relieve(mostBytes, () => true);
  }

  /** Ends the slowest of those that `mayEnd` until no more than `mostBytes` are held. */
  #relieve(mostBytes: number, mayEnd: (connection: C) => boolean): void {
    if (this.#isRelieving) return;
    this.#isRelieving = true;
    // Not amid the fan-out that made it grow.
    this.#timers.immediate(() => {
      this.#isRelieving = false;
      const slowest = this.#slowestFirst().filter(mayEnd).slice(0, CLOSED_AT_ONCE);
      for (const connection of slowest) {
        if (this.memory.total <= mostBytes) return;
        connection.fallBehind();
      }
      // The transports of closed connections let go of their bytes by themselves.
      if (slowest.length > 0 && this.memory.total > mostBytes) this.#relieve(mostBytes, mayEnd);
    });
  }

  /** Returns whether to look again. */
  #look(): boolean {
    const { hardBytes, totalBytes } = this.#limits;
    let isAnyBehind = false;
    for (const connection of [...this.#connections]) {
      const { waitingBytes, takenBytes } = connection;
      if (waitingBytes === 0) {
        this.#progress.delete(connection);
        continue;
      }
      const progress = this.#progress.get(connection) ?? { lookCount: -1, takenBefore: takenBytes };
      progress.lookCount += 1;
      this.#progress.set(connection, progress);
      isAnyBehind ||= waitingBytes > hardBytes;
      if (progress.lookCount < WINDOW_LOOKS) continue;
      const taken = takenBytes - progress.takenBefore;
      this.#progress.set(connection, { lookCount: 0, takenBefore: takenBytes });
      if (this.#isTooSlow(connection, taken)) connection.fallBehind();
    }
    // Most of them wait for the same, which stays in memory until the last one is closed.
    if (this.memory.total > totalBytes) this.#relieve(totalBytes, (connection) => this.#isDeaf(connection));
    return isAnyBehind || this.memory.total > totalBytes;
  }

  #isTooSlow({ waitingBytes, queuedBytes }: C, taken: number): boolean {
    const { hardBytes } = this.#limits;
    if (waitingBytes <= hardBytes) return false;
    if (taken < hardBytes * LEAST_SHARE) return true;
    return queuedBytes > hardBytes && waitingBytes > MOST_WINDOWS * taken;
  }

  /** Has had its time, and took next to nothing. */
  #isDeaf(connection: C): boolean {
    const { lookCount, takenBefore } = this.#progress.get(connection) ?? { lookCount: 0, takenBefore: 0 };
    const least = this.#limits.hardBytes * LEAST_SHARE;
    return lookCount >= SHORT_LOOKS && connection.takenBytes - takenBefore < least;
  }

  /** Those for whom something waits: who does not read first, then those of the token for which most waits, the slowest first. */
  #slowestFirst(): C[] {
    const late = [...this.#connections].filter(({ waitingBytes, isClosed }) => waitingBytes > 0 && !isClosed);
    const byToken = new Map<string, number>();
    for (const { identity, waitingBytes } of late)
      byToken.set(identity.tokenHash, (byToken.get(identity.tokenHash) ?? 0) + waitingBytes);
    const ranked = late.map((connection) => {
      const { lookCount, takenBefore } = this.#progress.get(connection) ?? { lookCount: 0, takenBefore: 0 };
      return {
        connection,
        isDeaf: this.#isDeaf(connection),
        ofToken: byToken.get(connection.identity.tokenHash) ?? 0,
        // Nothing is known yet of one that was not looked at.
        perLook: lookCount <= 0 ? Infinity : (connection.takenBytes - takenBefore) / lookCount,
        waiting: connection.waitingBytes,
      };
    });
    return ranked
      .toSorted(
        (one, other) =>
          Number(other.isDeaf) - Number(one.isDeaf) ||
          other.ofToken - one.ofToken ||
          (one.perLook === other.perLook ? other.waiting - one.waiting : one.perLook - other.perLook),
      )
      .map(({ connection }) => connection);
  }
}
