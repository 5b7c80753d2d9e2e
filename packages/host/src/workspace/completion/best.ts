/** Keeps the entries with the highest ranks, in a heap whose root has the lowest rank. */
export class Best {
  readonly #limit: number;
  readonly #ranks: number[] = [];
  readonly #entries: number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Of equal ranks, the first entry stays. */
  offer(entry: number, rank: number): void {
    if (this.#ranks.length < this.#limit) {
      this.#ranks.push(rank);
      this.#entries.push(entry);
      this.#rise(this.#ranks.length - 1);
      return;
    }
    if (rank <= (this.#ranks[0] ?? 0)) return;
    this.#ranks[0] = rank;
    this.#entries[0] = entry;
    this.#sink();
  }

  /** Entries of this rank or below are no longer kept. */
  get floor(): number {
    return this.#ranks.length < this.#limit ? Number.NEGATIVE_INFINITY : (this.#ranks[0] ?? 0);
  }

  /** Unordered. */
  get entries(): readonly number[] {
    return this.#entries;
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if ((this.#ranks[parent] ?? 0) <= (this.#ranks[at] ?? 0)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ; ) {
      const [left, right] = [at * 2 + 1, at * 2 + 2];
      let least = at;
      if (left < this.#ranks.length && this.#rank(left) < this.#rank(least)) least = left;
      if (right < this.#ranks.length && this.#rank(right) < this.#rank(least)) least = right;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #rank(at: number): number {
    return this.#ranks[at] ?? 0;
  }

  #swap(one: number, other: number): void {
    const [rank, entry] = [this.#rank(one), this.#entries[one] ?? 0];
    this.#ranks[one] = this.#rank(other);
    this.#entries[one] = this.#entries[other] ?? 0;
    this.#ranks[other] = rank;
    this.#entries[other] = entry;
  }
}
