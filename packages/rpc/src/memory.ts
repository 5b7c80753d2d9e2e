import { Inbox } from './inbox.ts';
import { type CloseInfo, TRANSPORT_CLOSE, type Transport, type TransportHandlers } from './transport.ts';

/** How frames of a memory pair travel. */
export interface MemoryPairOptions {
  /** `immediate`: inside `send`; `microtask`: right after the sender's synchronous code. Default `microtask`. */
  delivery?: 'immediate' | 'microtask';
}

type Item = { readonly frame: string } | { readonly end: CloseInfo };

/** One end of a connection inside the process. `onQueued` decides when the other end takes what was sent. */
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

/** Moves the oldest item of one end to the other; false when there was none. */
function deliverOne(from: MemoryEnd, to: MemoryEnd): boolean {
  const item = from.outgoing.shift();
  if (item === undefined) return false;
  if ('frame' in item) to.inbox.push(item.frame);
  else to.inbox.close(item.end);
  return true;
}

/** Two linked transports in one process. Order is kept; a close arrives behind the frames sent before it. */
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
      // A frame sent while one is being delivered is taken by the loop that is already running.
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
  /** Frames under way, oldest first; a close is not among them. */
  readonly frames: readonly string[];
  /** Everything under way, a close included. */
  readonly count: number;
  /** Delivers the oldest `count` items (default 1); returns how many there were. */
  deliver(count?: number): number;
}

/** A connection whose every frame waits for the test. */
export interface ControlledPair {
  /** The end usually given to the client. */
  readonly a: Transport;
  /** The end usually given to the host. */
  readonly b: Transport;
  readonly aToB: ControlledDirection;
  readonly bToA: ControlledDirection;
  /** Delivers in turns until nothing is under way in either direction; returns the number of items. */
  deliverAll(): number;
  /** Breaks the connection: what is under way is lost and both ends see a close with this code (default 1006). */
  cut(info?: CloseInfo): void;
}

/** Two linked transports that deliver only when told to, and lose what is under way when cut. */
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
