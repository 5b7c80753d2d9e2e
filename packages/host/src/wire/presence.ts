import type { Clock } from '../lib/clock.ts';

/** So many clients that have left are remembered before those past every grace period are forgotten. */
const REMEMBERED = 1_000;

/** Which clients are here, and how long the others have been gone. */
export class Presence {
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #startedAt: number;
  readonly #here = new Set<string>();
  /** When each that has left did so, ms since the epoch. */
  readonly #leftAt = new Map<string, number>();

  /** `graceMs`: how long somebody who has left may still come back to what is theirs. */
  constructor(clock: Clock, graceMs: number) {
    this.#clock = clock;
    this.#graceMs = graceMs;
    this.#startedAt = clock.now();
  }

  /** A connection speaks for this client now. */
  arrived(clientId: string): void {
    this.#here.add(clientId);
    this.#leftAt.delete(clientId);
  }

  /** No connection speaks for this client any more. */
  left(clientId: string): void {
    this.#here.delete(clientId);
    if (this.#leftAt.size >= REMEMBERED) this.#forget();
    this.#leftAt.set(clientId, this.#clock.now());
  }

  /** Whether a client is gone past the grace period; of those not seen since, it began when the host started [CONN-8]. */
  isGone(clientId: string): boolean {
    return !this.#here.has(clientId) && this.#isPast(this.#leftAt.get(clientId) ?? this.#startedAt);
  }

  #isPast(since: number): boolean {
    return this.#clock.now() - since > this.#graceMs;
  }

  #forget(): void {
    // Nobody is taken for gone too early by it: the host has been there for longer.
    for (const [clientId, since] of this.#leftAt) if (this.#isPast(since)) this.#leftAt.delete(clientId);
  }
}
