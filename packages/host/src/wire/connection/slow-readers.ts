import type { TokenIdentity } from '../../auth/access-tokens.ts';
import type { Cancel, Timers } from '../../lib/clock.ts';
import type { OutboxLimits } from './outbox.ts';
import { HeldBytes } from './shared-envelopes.ts';

/** Interval of the measurements. */
const LOOK_MS = 250;

/**
 * Measurements in a window (30 s). A client with more than `hardBytes` waiting is judged by the bytes that it takes in one window. A shorter
 * window would be wrong: an operating system takes more from a sender in steps of a sixteenth of the receiver's buffer, up to 400 kB. A client
 * that reads 20 kB per second takes such a step every 20 s.
 */
const WINDOW_LOOKS = 120;

/** Share of `hardBytes` that a client must take in a window: 64 KiB by default. A slower client would need an hour for `hardBytes`. */
const LEAST_SHARE = 1 / 128;

/**
 * Windows (2 min) in which a client must be able to take all waiting output, if more than `hardBytes` are queued behind the frame that is being
 * sent. For a slower client a reconnect with snapshots is faster.
 */
const MAX_WINDOWS = 4;

/** When memory is short: measurements (1 s) after which a client that took less than `LEAST_SHARE` counts as not reading. */
const SHORT_LOOKS = 4;

/** Above this multiple of `totalBytes` the slowest connections are closed, even if their clients read. */
const SLOWEST_FACTOR = 4;

/** Connections closed in one iteration of the event loop, so that other work runs in between. */
const CLOSED_AT_ONCE = 16;

/** The part of a connection that is measured. */
export interface SlowReader {
  readonly identity: TokenIdentity;
  readonly isClosed: boolean;
  /** Bytes that wait for the client, responses not counted. */
  readonly waitingBytes: number;
  /** The part of them that the transport does not have yet. It holds at most one large envelope. */
  readonly queuedBytes: number;
  /** Bytes that the client has taken since it connected. */
  readonly takenBytes: number;
  /** Closes the connection because its client reads too slowly. */
  fallBehind(): void;
}

interface Progress {
  lookCount: number;
  takenBefore: number;
}

/**
 * Closes connections whose clients read too slowly. A client is judged by the bytes that it takes while output waits, and not by the size of that
 * output. If the waiting output of all connections takes too much memory, the slowest connections are closed.
 */
export class SlowReaders<C extends SlowReader> {
  /** Memory of all waiting envelopes. */
  readonly memory = new HeldBytes(() => this.#grown());
  readonly #timers: Timers;
  readonly #connections: Iterable<C>;
  readonly #limits: Pick<OutboxLimits, 'hardBytes' | 'totalBytes'>;
  readonly #progress = new Map<C, Progress>();
  #cancelLook: Cancel | undefined;
  #isRelieving = false;

  constructor(parts: {
    timers: Timers;
    /** The open connections of the host; read at each measurement. */
    connections: Iterable<C>;
    limits: Pick<OutboxLimits, 'hardBytes' | 'totalBytes'>;
  }) {
    this.#timers = parts.timers;
    this.#connections = parts.connections;
    this.#limits = parts.limits;
  }

  /** Measures until no connection has more than `hardBytes` waiting. */
  watch(): void {
    this.#cancelLook ??= this.#timers.after(LOOK_MS, () => {
      this.#cancelLook = undefined;
      if (this.#look()) this.watch();
      else this.#progress.clear();
    });
  }

  /** Call it when a connection has closed. After the last one no timer remains. */
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

  /** Closes the slowest connections for which `mayEnd` returns true, until at most `mostBytes` are held. */
  #relieve(mostBytes: number, mayEnd: (connection: C) => boolean): void {
    if (this.#isRelieving) return;
    this.#isRelieving = true;
    // The fan-out that made the memory grow runs to its end first.
    this.#timers.immediate(() => {
      this.#isRelieving = false;
      const slowest = this.#slowestFirst().filter(mayEnd).slice(0, CLOSED_AT_ONCE);
      for (const connection of slowest) {
        if (this.memory.total <= mostBytes) return;
        connection.fallBehind();
      }
      // The transports of closed connections release their bytes on their own.
      if (slowest.length > 0 && this.memory.total > mostBytes) this.#relieve(mostBytes, mayEnd);
    });
  }

  /** Measures all connections. Returns whether to measure again. */
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
    // Most connections wait for the same envelopes, which stay in memory until the last of these connections is closed.
    if (this.memory.total > totalBytes)
      this.#relieve(totalBytes, (connection) => this.#isStalled(connection));
    return isAnyBehind || this.memory.total > totalBytes;
  }

  #isTooSlow({ waitingBytes, queuedBytes }: C, taken: number): boolean {
    const { hardBytes } = this.#limits;
    if (waitingBytes <= hardBytes) return false;
    if (taken < hardBytes * LEAST_SHARE) return true;
    return queuedBytes > hardBytes && waitingBytes > MAX_WINDOWS * taken;
  }

  /** Whether a client was measured long enough and has taken next to nothing. */
  #isStalled(connection: C): boolean {
    const { lookCount, takenBefore } = this.#progress.get(connection) ?? { lookCount: 0, takenBefore: 0 };
    const least = this.#limits.hardBytes * LEAST_SHARE;
    return lookCount >= SHORT_LOOKS && connection.takenBytes - takenBefore < least;
  }

  /** Connections with waiting output: first those whose clients do not read, then those of the token with the most waiting bytes, the slowest first. */
  #slowestFirst(): C[] {
    const late = [...this.#connections].filter(({ waitingBytes, isClosed }) => waitingBytes > 0 && !isClosed);
    const byToken = new Map<string, number>();
    for (const { identity, waitingBytes } of late)
      byToken.set(identity.tokenHash, (byToken.get(identity.tokenHash) ?? 0) + waitingBytes);
    const ranked = late.map((connection) => {
      const { lookCount, takenBefore } = this.#progress.get(connection) ?? { lookCount: 0, takenBefore: 0 };
      return {
        connection,
        isStalled: this.#isStalled(connection),
        ofToken: byToken.get(connection.identity.tokenHash) ?? 0,
        // A connection that was not measured yet counts as fast.
        perLook: lookCount <= 0 ? Infinity : (connection.takenBytes - takenBefore) / lookCount,
        waiting: connection.waitingBytes,
      };
    });
    return ranked
      .toSorted(
        (one, other) =>
          Number(other.isStalled) - Number(one.isStalled) ||
          other.ofToken - one.ofToken ||
          (one.perLook === other.perLook ? other.waiting - one.waiting : one.perLook - other.perLook),
      )
      .map(({ connection }) => connection);
  }
}
