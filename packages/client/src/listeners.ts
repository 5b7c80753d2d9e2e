/** Reports what a listener threw; the others still run. */
export type ReportError = (error: unknown, where: string) => void;

/** A set of listeners of one event. */
export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #report: ReportError;
  readonly #where: string;

  constructor(report: ReportError, where: string) {
    this.#report = report;
    this.#where = where;
  }

  /** Adds a listener; the result removes it, as often as you like. The same function may be added twice. */
  add(listener: (value: T) => void): () => void {
    const own = (value: T): void => listener(value);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Calls those that were there when it began, unless removed meanwhile. */
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
