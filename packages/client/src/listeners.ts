/** Called with an error that a listener threw and a name for the event. Other listeners still run. */
export type ReportError = (error: unknown, where: string) => void;

/** The listeners of one event. */
export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #report: ReportError;
  readonly #where: string;

  constructor(report: ReportError, where: string) {
    this.#report = report;
    this.#where = where;
  }

  /**
   * Adds a listener. Returns a function that removes it, which may be called again. The same function may be
   * added twice.
   */
  add(listener: (value: T) => void): () => void {
    const own = (value: T): void => listener(value);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Calls the listeners present at the start, except those removed meanwhile. */
  emit(value: T): void {
    if (this.#listeners.size === 0) return;
    for (const listener of Array.from(this.#listeners)) {
      if (!this.#listeners.has(listener)) continue;
      try {
        listener(value);
      } catch (error) {
        this.#report(error, this.#where);
      }
    }
  }
}
