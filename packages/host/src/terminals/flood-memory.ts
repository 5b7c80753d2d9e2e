import { type Cancel, type Clock, steadyNow, type Timers } from '../lib/clock.ts';

/**
 * So much output within one look is a flood. On a machine that is busy a program that puts out all it can comes to a megabyte in a
 * second, and what that leaves behind grows the heap as well, only later.
 */
const FLOOD_BYTES = 64 * 1024;
/** A flood that has come to so much goes on, and is worth a collection. */
const COLLECT_BYTES = 1024 * 1024;
const LOOK_MS = 250;
/** Looks without a flood until it is over: it may be a program that pauses. */
const CALM_LOOKS = 8;

/** The heap of this process, as far as a flood is concerned. */
export interface FloodHeap {
  /** A flood begins, or is over. */
  setThrifty(isThrifty: boolean): void;
  /**
   * Takes all garbage away soon: only then is it measured anew how far the heap may grow, and until then it grows by what it was
   * allowed before.
   */
  collect(): void;
}

/**
 * Keeps memory small while terminals put out more than anybody reads: text in megabytes a second dies as fast as it comes, and a
 * garbage collector that is left alone makes room for it in place of taking it away. Everything else runs faster with that room.
 */
export class FloodMemory {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #heap: FloodHeap;
  #bytes = 0;
  /** Read in the flood that goes on. */
  #floodBytes = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #calmLooks = 0;
  #cancel: Cancel | undefined;

  constructor({ clock, timers }: { readonly clock: Clock; readonly timers: Timers }, heap: FloodHeap) {
    this.#clock = clock;
    this.#timers = timers;
    this.#heap = heap;
  }

  /** As if a flood had begun: what a host loads at its start may be one that went on when the host before it was killed. */
  begin(): void {
    if (this.#cancel !== undefined) return;
    this.#heap.setThrifty(true);
    this.#calmLooks = 0;
    this.#floodBytes = 0;
    this.#look();
  }

  /** So much was read of a pty. */
  took(bytes: number): void {
    const now = steadyNow(this.#clock);
    if (this.#cancel === undefined && now - this.#lookedAt >= LOOK_MS) {
      this.#bytes = 0;
      this.#lookedAt = now;
    }
    this.#bytes += bytes;
    if (this.#cancel !== undefined) return this.#goesOn(bytes);
    if (this.#bytes < FLOOD_BYTES) return;
    this.begin();
    this.#goesOn(this.#bytes);
  }

  /** Nothing more is read; the flood, if there is one, is over. */
  end(): void {
    if (this.#cancel === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    this.#heap.setThrifty(false);
  }

  #goesOn(bytes: number): void {
    const before = this.#floodBytes;
    this.#floodBytes += bytes;
    if (before < COLLECT_BYTES && this.#floodBytes >= COLLECT_BYTES) this.#heap.collect();
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
