import type { Duplex } from 'node:stream';
import type { Timers } from '../lib/clock.ts';
import { type PlainAnswer, refuse } from '../wire/http/plain-http.ts';
import { DOWN } from './answers.ts';

/** Time limit for the complete answer to a request for a WebSocket, including the wait for the host. A paused host accepts connections and never answers. */
const ANSWER_MS = 10_000;

/** Limit of bytes after the request that are kept until the host has answered. Clients send none before that. */
const MAX_EARLY_BYTES = 64 * 1024;

/**
 * A client that waits for the answer to its request for a WebSocket. Its socket is read meanwhile, because otherwise its end would not be noticed. The wait
 * ends when the client ends its side.
 */
export class PendingUpgrade {
  readonly socket: Duplex;
  readonly #abort = new AbortController();
  readonly #early: Buffer[];
  readonly #cancel: () => void;
  #state: 'waiting' | 'answering' | 'over' = 'waiting';

  /** `begun`: bytes that were received after the request. */
  constructor(socket: Duplex, begun: Buffer, timers: Timers) {
    this.socket = socket;
    this.#early = [begun];
    this.#cancel = timers.after(ANSWER_MS, () => {
      if (this.#state === 'answering') socket.destroy();
      else this.refuse(DOWN);
    });
    socket.on('data', this.#keep);
    socket.on('end', this.#drop);
    socket.once('close', this.#over);
    if (socket.destroyed) this.#over();
  }

  /** Aborted when the wait is over without an answer of the host. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Answers, and closes the socket. Does nothing after another answer. */
  refuse(told: PlainAnswer): void {
    if (this.#state !== 'waiting') return;
    this.#over();
    refuse(this.socket, told);
  }

  /** The host has accepted. Returns the bytes that were received after the request. */
  accept(): Buffer {
    this.socket.pause();
    this.socket.off('data', this.#keep);
    this.socket.off('end', this.#drop);
    this.socket.off('close', this.#over);
    this.#state = 'over';
    this.#cancel();
    return Buffer.concat(this.#early);
  }

  /** The host has refused, and its answer is being sent. The time limit stays. */
  answering(): void {
    this.#state = 'answering';
    this.socket.once('finish', this.#drop);
  }

  readonly #keep = (bytes: Buffer): void => {
    this.#early.push(bytes);
    if (this.#early.reduce((sum, { length }) => sum + length, 0) > MAX_EARLY_BYTES) this.socket.pause();
  };

  readonly #drop = (): void => void this.socket.destroy();

  readonly #over = (): void => {
    this.#state = 'over';
    this.#cancel();
    this.#abort.abort();
  };
}
