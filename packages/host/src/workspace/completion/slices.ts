import type { Timers } from '../../lib/clock.ts';
import { SLICE_MS } from '../../lib/slice-scheduler.ts';

/** Turns of the event loop that a slice gives way for, so that the work comes to an end whatever else there is. */
const MAX_TURNS = 50;

/** Parts long work, so that the event loop gets a turn between the slices. */
export class Slices {
  readonly #pause: () => Promise<void>;
  #startedAt = performance.now();

  /** `pause`: waits for the next slice, and rejects when the work is not wanted any more. */
  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /** Whether the present slice has had its time. Ask it about every thousand small steps. */
  get isOver(): boolean {
    return performance.now() - this.#startedAt >= SLICE_MS;
  }

  /** Begins the next slice; rejects when the work is not wanted any more. */
  async next(): Promise<void> {
    await this.#pause();
    this.#startedAt = performance.now();
  }
}

/** A turn of the event loop between two slices, or some more while somebody waits for work that goes first. Rejects with the signal's reason. */
export function givingWay(timers: Timers, signal: AbortSignal, givesWay: () => boolean): () => Promise<void> {
  return async () => {
    for (let turns = 0; turns === 0 || (turns < MAX_TURNS && givesWay()); turns += 1) {
      await new Promise<void>((resolve) => timers.immediate(resolve));
    }
    signal.throwIfAborted();
  };
}
