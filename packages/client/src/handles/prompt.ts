import type { ChatState, Turn } from '@agenthost/protocol';
import { ChannelLost, DispatchRejected } from '../errors.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';
import { findTurn, type TurnControls, type TurnEvent, TurnReader } from './turn-reader.ts';

/** The turn is not in the chat any more: truncated, or fallen out of the window while disconnected. */
export class TurnGone extends Error {
  override readonly name = 'TurnGone';
  readonly code = 'turn-gone';

  constructor(turnId: string) {
    super(`turn ${turnId} is gone`);
  }
}

/** What a prompt needs of its chat. */
export interface PromptPort extends TurnControls {
  readonly mirror: Mirror<'chat'>;
  cancel(turnId: string): Promise<DispatchOutcome>;
}

/**
 * A turn that was asked for. Iterate it for what happens, once or several times (each from the beginning), or only await
 * `result`. Both go on through reconnects and restarts of the host, and fail with `DispatchRejected` when the host
 * refused the message, `ChannelLost` when the chat is gone, `TurnGone` when the turn is.
 */
export class Prompt implements AsyncIterable<TurnEvent> {
  readonly turnId: string;
  /** The finished turn, whatever its state: `complete`, `cancelled` or `error`. */
  readonly result: Promise<Turn>;
  readonly #port: PromptPort;
  #failure: Error | undefined;
  #turn: Turn | undefined;
  /** The turn was there once, so its absence means that it is gone. */
  #wasSeen = false;
  readonly #wake = new Set<() => void>();

  /** Without `dispatched` it is somebody else's, who saw it accepted. */
  constructor(turnId: string, dispatched: Promise<DispatchOutcome> | undefined, port: PromptPort) {
    this.turnId = turnId;
    this.#port = port;
    this.result = new Promise((resolve, reject) => {
      const stop = port.mirror.onChange(() => look());
      const look = (): void => {
        this.#look();
        if (this.#turn !== undefined) resolve(this.#turn);
        else if (this.#failure !== undefined) reject(this.#failure);
        else return this.#notify();
        stop();
        this.#notify();
      };
      dispatched?.then(
        (outcome) => {
          this.#answered(outcome);
          look();
        },
        (error: unknown) => {
          this.#failure = error instanceof Error ? error : new Error('not dispatched', { cause: error });
          look();
        },
      );
      if (dispatched === undefined) look();
    });
    // Who iterates gets the failure there.
    this.result.catch(() => undefined);
  }

  /** Asks the host to end the turn; `result` then resolves with it. */
  cancel(): Promise<DispatchOutcome> {
    return this.#port.cancel(this.turnId);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TurnEvent, void, undefined> {
    const { mirror } = this.#port;
    const reader = new TurnReader(this.turnId, this.#port, () => this.#notify());
    const stop = mirror.onAction((envelope) => reader.take(envelope));
    try {
      for (;;) {
        const changed = this.#changed();
        const events = reader.read(mirror.confirmed);
        if (events !== 'missing' && events.length > 0) {
          yield* events;
          if (events.at(-1)?.type === 'ended') return;
          continue;
        }
        if (this.#failure !== undefined) throw this.#failure;
        // It ended and has left the window since.
        if (this.#turn !== undefined) {
          yield { type: 'ended', turn: this.#turn };
          return;
        }
        await changed;
      }
    } finally {
      stop();
    }
  }

  #answered(outcome: DispatchOutcome): void {
    // After a drop the host may only know that it has dealt with it: then the turn's presence tells.
    if (outcome.outcome === 'accepted' || this.#find() !== undefined) return;
    if (outcome.outcome === 'rejected') this.#failure = new DispatchRejected(outcome.code, outcome.reason);
    else if (outcome.outcome === 'dropped') this.#failure = new DispatchRejected('dropped', outcome.reason);
    else this.#failure = new ChannelLost(this.#port.mirror.uri);
  }

  #look(): void {
    const { mirror } = this.#port;
    const turn = this.#find();
    if (turn !== undefined) {
      this.#wasSeen = true;
      if ('state' in turn) this.#turn = turn;
      else if (mirror.isLost) this.#failure ??= new ChannelLost(mirror.uri);
      return;
    }
    if (mirror.isLost) this.#failure ??= new ChannelLost(mirror.uri);
    else if (this.#wasSeen) this.#failure ??= new TurnGone(this.turnId);
  }

  #find(): Turn | ChatState['activeTurn'] {
    return findTurn(this.#port.mirror.confirmed, this.turnId);
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#wake.delete(wake);
        resolve();
      };
      this.#wake.add(wake);
    });
  }

  #notify(): void {
    for (const wake of Array.from(this.#wake)) wake();
  }
}
