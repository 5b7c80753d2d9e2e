import { type Clock, steadyNow } from '../../lib/clock.ts';

/** So many clients that have left are remembered before those past every grace period are forgotten. */
const REMEMBERED = 1_000;

/** Hears where clients stop taking part without saying so [SESS-8]. */
export interface Departures {
  /** A client has unsubscribed from a channel. */
  unsubscribed(clientId: string, uri: string): void;
  /** A client has come back with these subscriptions and no others. Resolves when all that follows from it is in state. */
  returned(clientId: string, subscriptions: readonly string[]): Promise<void>;
}

/** Which clients are here to take part, and how long the others have been gone. Those that may only look are never here. */
export class Presence {
  /** How long somebody who has left may still come back to what is theirs, ms. */
  readonly graceMs: number;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #listeners: ((clientId: string, isHere: boolean) => void)[] = [];
  readonly #here = new Set<string>();
  /** When each that has left did so, by `steadyNow`. */
  readonly #leftAt = new Map<string, number>();

  constructor(clock: Clock, graceMs: number) {
    this.#clock = clock;
    this.graceMs = graceMs;
    this.#startedAt = steadyNow(clock);
  }

  /** Calls back with each client that comes or leaves. */
  onChange(listener: (clientId: string, isHere: boolean) => void): void {
    this.#listeners.push(listener);
  }

  /** A connection speaks for this client now. */
  arrived(clientId: string): void {
    this.#here.add(clientId);
    this.#leftAt.delete(clientId);
    for (const listener of this.#listeners) listener(clientId, true);
  }

  /** Whether a connection speaks for this client now. */
  isHere(clientId: string): boolean {
    return this.#here.has(clientId);
  }

  /** No connection speaks for this client any more. */
  left(clientId: string): void {
    this.#here.delete(clientId);
    if (this.#leftAt.size >= REMEMBERED) this.#forget();
    this.#leftAt.set(clientId, steadyNow(this.#clock));
    for (const listener of this.#listeners) listener(clientId, false);
  }

  /** Whether a client is gone past the grace period; of those not seen since, it began when the host started [CONN-8]. */
  isGone(clientId: string): boolean {
    return !this.#here.has(clientId) && this.#isPast(this.#leftAt.get(clientId) ?? this.#startedAt);
  }

  #isPast(since: number): boolean {
    return steadyNow(this.#clock) - since > this.graceMs;
  }

  #forget(): void {
    // Nobody is taken for gone too early by it: the host has been there for longer.
    for (const [clientId, since] of this.#leftAt) if (this.#isPast(since)) this.#leftAt.delete(clientId);
  }
}
