import type { Timers } from '../../lib/clock.ts';
import { SLICE_MS } from '../../lib/slice-scheduler.ts';

/** Maximum number of event loop iterations that a slice waits for other work. Guarantees that every job ends. */
const MAX_TURNS = 50;

/** Divides long work into slices. The event loop runs between them. */
export class Slices {
  readonly #pause: () => Promise<void>;
  #startedAt = performance.now();

  /** `pause`: resolves when the next slice may run, and rejects when the work was cancelled. */
  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /** Whether the time of the current slice is over. Call it about every thousand small steps. */
  get isOver(): boolean {
    return performance.now() - this.#startedAt >= SLICE_MS;
  }

  /** Starts the next slice; rejects when the work was cancelled. */
  async next(): Promise<void> {
    await this.#pause();
    this.#startedAt = performance.now();
  }
}

/** Returns a function that waits one iteration of the event loop, or more while work of higher priority waits. Rejects with the signal's reason. */
export function givingWay(timers: Timers, signal: AbortSignal, givesWay: () => boolean): () => Promise<void> {
  return async () => {
    for (let turns = 0; turns === 0 || (turns < MAX_TURNS && givesWay()); turns += 1) {
      await new Promise<void>((resolve) => timers.immediate(resolve));
    }
    signal.throwIfAborted();
  };
}
