/** Encoded items that wait, bounded in number and in bytes. The newest ones are refused when it is full. */
export class BoundedQueue {
  readonly #limits: { readonly maxCount: number; readonly maxBytes: number };
  #items: string[] = [];
  #bytes = 0;

  constructor(limits: { readonly maxCount: number; readonly maxBytes: number }) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#items.length;
  }

  /** Adds an item. Returns false if there is no room. */
  push(json: string): boolean {
    const { maxCount, maxBytes } = this.#limits;
    if (this.#items.length >= maxCount || this.#bytes + json.length > maxBytes) return false;
    this.#items.push(json);
    this.#bytes += json.length;
    return true;
  }

  /** Removes the oldest items, at most `maxCount` and about `maxBytes`, but at least one if there is any. */
  take(maxCount: number, maxBytes: number): string[] {
    let bytes = 0;
    let count = 0;
    for (const { length } of this.#items.slice(0, maxCount)) {
      if (count > 0 && bytes + length > maxBytes) break;
      bytes += length;
      count += 1;
    }
    this.#bytes -= bytes;
    return this.#items.splice(0, count);
  }
}
