import type { Transport } from '@agenthost/rpc';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import { type Cancel, type Clock, steadyNow, type Timers } from '../lib/clock.ts';

/** So many seconds' worth may come at once: a client that resends all it has, a paste, a script in a hurry. */
const BURST_SECONDS = 4;
/** It is looked again after so long at most, so that a close of the other end is seen. */
const MAX_PAUSE_MS = 1_000;

/**
 * Bounds how fast one connection's messages are read: past it the socket is left alone for a while, and the client's own writes wait. An
 * error instead would cut off whoever meets the bound once, lose what was under way, and be answered by a reconnect that costs more
 * than the messages did.
 */
export class ReadingPace {
  readonly #transport: Pick<ServerTransport, 'pause' | 'resume'>;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #perSecond: () => number;
  #left: number;
  #at: number;
  #cancel: Cancel | undefined;

  constructor(parts: {
    transport: Pick<ServerTransport, 'pause' | 'resume'>;
    clock: Clock;
    timers: Timers;
    perSecond(): number;
  }) {
    this.#transport = parts.transport;
    this.#clock = parts.clock;
    this.#timers = parts.timers;
    this.#perSecond = () => parts.perSecond();
    this.#left = this.#perSecond() * BURST_SECONDS;
    this.#at = steadyNow(this.#clock);
  }

  /** A message has come. */
  took(): void {
    this.#left -= 1;
    // What was read before the pause still comes.
    if (this.#left < 0 && this.#cancel === undefined) this.#check();
  }

  /** The connection is over. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #check(): void {
    const now = steadyNow(this.#clock);
    const perSecond = this.#perSecond();
    const back = (Math.max(0, now - this.#at) / 1_000) * perSecond;
    this.#left = Math.min(perSecond * BURST_SECONDS, this.#left + back);
    this.#at = now;
    if (this.#left >= 0) {
      this.#transport.resume?.();
      return;
    }
    this.#transport.pause?.();
    // Until a tenth of a second's worth is there, so that it is not woken for each.
    const waitMs = ((perSecond / 10 - this.#left) / perSecond) * 1_000;
    this.#cancel = this.#timers.after(Math.min(MAX_PAUSE_MS, Math.ceil(waitMs)), () => {
      this.#cancel = undefined;
      this.#check();
    });
  }
}

/** The transport as a peer takes it, with each message told of. */
export function withPace(transport: Transport, pace: ReadingPace): Transport {
  return {
    send: (frame) => transport.send(frame),
    close: (code, reason) => transport.close(code, reason),
    start: ({ onFrame, onClose }) =>
      transport.start({
        onFrame: (frame) => {
          pace.took();
          onFrame(frame);
        },
        onClose,
      }),
    get bufferedBytes() {
      return transport.bufferedBytes;
    },
  };
}
