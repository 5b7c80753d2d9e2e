import type { KeptOutput } from './kept-output.ts';

/** Bounds what ptys keep of their output together while nobody reads them: the one that keeps most makes room. */
export class KeepBudget {
  readonly #limitBytes: number;
  readonly #members = new Set<KeptOutput>();

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** What this keeps counts from now on. */
  join(kept: KeptOutput): void {
    this.#members.add(kept);
    this.settle();
  }

  /** Somebody reads it, or nobody ever will. */
  leave(kept: KeptOutput): void {
    this.#members.delete(kept);
  }

  /** One of them keeps more than before: forgets the oldest of the largest until all of them fit, at line starts. */
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
