import type { ChatState, Turn } from '@agenthost/protocol';
import { ChannelLost, DispatchRejected } from '../errors.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';
import { findTurn, type TurnControls, type TurnEvent, TurnReader } from './turn-reader.ts';

/**
 * The turn is no longer in the chat: it was truncated, or left the window while the client was disconnected.
 */
export class TurnGone extends Error {
  override readonly name = 'TurnGone';
  readonly code = 'turn-gone';

  constructor(turnId: string) {
    super(`turn ${turnId} is no longer in the chat`);
  }
}

/** What a prompt needs of its chat. */
export interface PromptPort extends TurnControls {
  readonly mirror: Mirror<'chat'>;
  cancel(turnId: string): Promise<DispatchOutcome>;
}

/**
 * A turn that was asked for. Iterate it for its events, as often as needed (each iteration starts at the
 * beginning), or await `result`. Both continue through reconnects and restarts of the host. Both fail with
 * `DispatchRejected` (the host rejected the message), `ChannelLost` (the chat is gone) or `TurnGone` (the
 * turn is gone).
 *
 * @example
 * const turn = await session.prompt('List the open tasks').result;
 * console.log(turn.state);
 */
export class Prompt implements AsyncIterable<TurnEvent> {
  readonly turnId: string;
  /** The finished turn. Its state is `complete`, `cancelled` or `error`. */
  readonly result: Promise<Turn>;
  readonly #port: PromptPort;
  #failure: Error | undefined;
  #turn: Turn | undefined;
  /** The turn was in the chat before, so its absence means that it is gone. */
  #wasSeen = false;
  readonly #wake = new Set<() => void>();

  /** `dispatched` is absent for a turn that another client started. */
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
          this.#failure =
            error instanceof Error ? error : new Error('the message was not dispatched', { cause: error });
          look();
        },
      );
      if (dispatched === undefined) look();
    });
    // Iterations report the failure themselves.
    this.result.catch(() => undefined);
  }

  /** Cancels the turn; `result` then resolves with it. */
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
        // The turn ended and has left the window since.
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
    // After a drop the host may only know that it processed the action. The turn's presence then shows that
    // it was accepted.
    if (outcome.outcome === 'accepted' || this.#find() !== undefined) return;
    if (outcome.outcome === 'rejected') this.#failure = new DispatchRejected(outcome);
    else if (outcome.outcome === 'dropped')
      this.#failure = new DispatchRejected({ code: 'dropped', reason: outcome.reason });
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
