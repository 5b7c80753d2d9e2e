import type { KeptOutput } from './kept-output.ts';

/** Bounds the output that ptys without a reader keep in total. The pty with the most output drops its oldest first. */
export class KeepBudget {
  readonly #limitBytes: number;
  readonly #members = new Set<KeptOutput>();

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Counts the output of a pty from now on. */
  join(kept: KeptOutput): void {
    this.#members.add(kept);
    this.settle();
  }

  /** No longer counts the output of a pty: it has a reader, or was released. */
  leave(kept: KeptOutput): void {
    this.#members.delete(kept);
  }

  /** Drops the oldest output of the largest member, up to a line start, until the total is within the limit. */
  settle(): void {
    for (let excess = this.#excess; excess > 0; excess = this.#excess) {
      let largest: KeptOutput | undefined;
      for (const kept of this.#members)
        if (largest === undefined || kept.length > largest.length) largest = kept;
      largest?.trim(Math.max(0, largest.length - excess));
    }
  }

  get #excess(): number {
    let sum = 0;
    for (const kept of this.#members) sum += kept.length;
    return sum - this.#limitBytes;
  }
}
