import { Inbox } from './inbox.ts';
import { type CloseInfo, TRANSPORT_CLOSE, type Transport, type TransportHandlers } from './transport.ts';

/** Options of `memoryPair`. */
export interface MemoryPairOptions {
  /**
   * When a frame is delivered: `immediate` inside `send`, `microtask` after the sender's synchronous code.
   * Default `microtask`.
   */
  delivery?: 'immediate' | 'microtask';
}

type Item = { readonly frame: string } | { readonly end: CloseInfo };

/**
 * One end of a connection within the process. `onQueued` decides when the other end receives what was sent.
 */
class MemoryEnd implements Transport {
  readonly inbox = new Inbox();
  readonly outgoing: Item[] = [];
  readonly #onQueued: () => void;
  #isClosed = false;

  constructor(onQueued: () => void) {
    this.#onQueued = onQueued;
  }

  get bufferedBytes(): number {
    let bytes = 0;
    for (const item of this.outgoing) if ('frame' in item) bytes += item.frame.length;
    return bytes;
  }

  send(frame: string): void {
    if (this.#isClosed || this.inbox.isClosed) return;
    this.outgoing.push({ frame });
    this.#onQueued();
  }

  close(code: number = TRANSPORT_CLOSE.normal, reason = ''): void {
    if (this.#isClosed || this.inbox.isClosed) return;
    this.#isClosed = true;
    this.outgoing.push({ end: { code, reason } });
    this.inbox.close({ code, reason });
    this.#onQueued();
  }

  start(handlers: TransportHandlers): void {
    this.inbox.start(handlers);
  }
}

/** Delivers the oldest item of one end to the other. Returns false when there was none. */
function deliverOne(from: MemoryEnd, to: MemoryEnd): boolean {
  const item = from.outgoing.shift();
  if (item === undefined) return false;
  if ('frame' in item) to.inbox.push(item.frame);
  else to.inbox.close(item.end);
  return true;
}

/**
 * Two connected transports in one process. Order is kept, and a close arrives after the frames sent before
 * it.
 *
 * @example
 * const [left, right] = memoryPair();
 */
export function memoryPair({ delivery = 'microtask' }: MemoryPairOptions = {}): [Transport, Transport] {
  const scheduler = (flush: () => void): (() => void) => {
    if (delivery === 'immediate') return flush;
    let isScheduled = false;
    return () => {
      if (isScheduled) return;
      isScheduled = true;
      queueMicrotask(() => {
        isScheduled = false;
        flush();
      });
    };
  };
  const flush = (from: () => MemoryEnd, to: () => MemoryEnd): (() => void) => {
    let isFlushing = false;
    return () => {
      // The running loop also delivers frames that are sent during a delivery.
      if (isFlushing) return;
      isFlushing = true;
      try {
        while (deliverOne(from(), to()));
      } finally {
        isFlushing = false;
      }
    };
  };
  const a: MemoryEnd = new MemoryEnd(
    scheduler(
      flush(
        () => a,
        () => b,
      ),
    ),
  );
  const b: MemoryEnd = new MemoryEnd(
    scheduler(
      flush(
        () => b,
        () => a,
      ),
    ),
  );
  return [a, b];
}

/** One direction of a controlled pair. */
export interface ControlledDirection {
  /** Undelivered frames, oldest first, without the close. */
  readonly frames: readonly string[];
  /** Number of undelivered items, including a close. */
  readonly count: number;
  /** Delivers the oldest `count` items (default 1). Returns the number of items delivered. */
  deliver(count?: number): number;
}

/** A connection whose frames are delivered only by the test. */
export interface ControlledPair {
  /** The end usually given to the client. */
  readonly a: Transport;
  /** The end usually given to the host. */
  readonly b: Transport;
  readonly aToB: ControlledDirection;
  readonly bToA: ControlledDirection;
  /** Delivers alternately until nothing is left in either direction. Returns the number of items. */
  deliverAll(): number;
  /**
   * Breaks the connection: undelivered items are lost and both ends see a close with this code (default
   * 1006).
   */
  cut(info?: CloseInfo): void;
}

/**
 * Two connected transports that deliver only when told to, and lose undelivered frames when cut. For tests of
 * order and of drops.
 */
export function controlledPair(): ControlledPair {
  const a = new MemoryEnd(() => undefined);
  const b = new MemoryEnd(() => undefined);
  const direction = (from: MemoryEnd, to: MemoryEnd): ControlledDirection => ({
    get frames() {
      return from.outgoing.flatMap((item) => ('frame' in item ? [item.frame] : []));
    },
    get count() {
      return from.outgoing.length;
    },
    deliver: (count = 1) => {
      let done = 0;
      while (done < count && deliverOne(from, to)) done += 1;
      return done;
    },
  });
  const aToB = direction(a, b);
  const bToA = direction(b, a);
  return {
    a,
    b,
    aToB,
    bToA,
    deliverAll: () => {
      let total = 0;
      for (let done = 1; done > 0; total += done) done = aToB.deliver(1) + bToA.deliver(1);
      return total;
    },
    cut: (info = { code: TRANSPORT_CLOSE.lost, reason: 'cut' }) => {
      a.outgoing.length = 0;
      b.outgoing.length = 0;
      a.inbox.close(info);
      b.inbox.close(info);
    },
  };
}
