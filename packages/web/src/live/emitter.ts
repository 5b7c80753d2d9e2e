/** Listeners of one event without a value. */
export class Emitter {
  readonly #listeners = new Set<() => void>();

  /** Adds a listener. Returns a function that removes it. */
  add = (listener: () => void): (() => void) => {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  };

  /** Calls the present listeners. */
  emit(): void {
    for (const listener of Array.from(this.#listeners)) if (this.#listeners.has(listener)) listener();
  }
}
