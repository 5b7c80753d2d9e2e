/** Runs pieces of work one after the other. */
export class Exclusive {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all earlier pieces have settled. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
