import type { Timers } from '../../lib/clock.ts';

/** Nothing else in the process waits longer for one slice, ms. */
const SLICE_MS = 4;

/** Turns of the event loop that a slice gives way for, so that the work comes to an end whatever else there is. */
const MAX_TURNS = 50;

/** Parts long work, so that the event loop gets a turn between the slices. */
export class Slices {
  readonly #timers: Timers;
  readonly #signal: AbortSignal | undefined;
  readonly #givesWay: () => boolean;
  #startedAt = performance.now();

  /** `givesWay`: whether somebody waits for other work of this kind, which goes first. Default: nobody does. */
  constructor(timers: Timers, signal?: AbortSignal, givesWay: () => boolean = () => false) {
    this.#timers = timers;
    this.#givesWay = givesWay;
    this.#signal = signal;
  }

  /** Whether the present slice has had its time. Ask it about every thousand small steps. */
  get isOver(): boolean {
    return performance.now() - this.#startedAt >= SLICE_MS;
  }

  /** Begins the next slice; rejects with the signal's reason when the work is not wanted any more. */
  async next(): Promise<void> {
    for (let turns = 0; turns === 0 || (turns < MAX_TURNS && this.#givesWay()); turns += 1) {
      await new Promise<void>((resolve) => this.#timers.immediate(resolve));
    }
    this.#signal?.throwIfAborted();
    this.#startedAt = performance.now();
  }
}
