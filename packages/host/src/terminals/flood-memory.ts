import { type Cancel, type Clock, steadyNow, type Timers } from '../lib/clock.ts';

/** So much output within one look is a flood. */
const FLOOD_BYTES = 1024 * 1024;
const LOOK_MS = 250;
/** Looks without a flood until it is over: it may be a program that pauses. */
const CALM_LOOKS = 8;

/**
 * Keeps memory small while terminals put out more than anybody reads: text in megabytes a second dies as fast as it comes, and a
 * garbage collector that is left alone makes room for it in place of taking it away. Everything else runs faster with that room.
 */
export class FloodMemory {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #setThrifty: (isThrifty: boolean) => void;
  #bytes = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #calmLooks = 0;
  #cancel: Cancel | undefined;

  /** `setThrifty` hears when a flood begins and when it is over. */
  constructor(
    { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
    setThrifty: (isThrifty: boolean) => void,
  ) {
    this.#clock = clock;
    this.#timers = timers;
    this.#setThrifty = setThrifty;
  }

  /** So much was read of a pty. */
  took(bytes: number): void {
    const now = steadyNow(this.#clock);
    if (this.#cancel === undefined && now - this.#lookedAt >= LOOK_MS) {
      this.#bytes = 0;
      this.#lookedAt = now;
    }
    this.#bytes += bytes;
    if (this.#cancel !== undefined || this.#bytes < FLOOD_BYTES) return;
    this.#setThrifty(true);
    this.#calmLooks = 0;
    this.#look();
  }

  /** Nothing more is read; the flood, if there is one, is over. */
  end(): void {
    if (this.#cancel === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    this.#setThrifty(false);
  }

  #look(): void {
    this.#cancel = this.#timers.after(LOOK_MS, () => {
      this.#calmLooks = this.#bytes < FLOOD_BYTES ? this.#calmLooks + 1 : 0;
      this.#bytes = 0;
      if (this.#calmLooks < CALM_LOOKS) this.#look();
      else this.end();
    });
  }
}
