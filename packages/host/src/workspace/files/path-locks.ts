/** Lets one at a time work on a path. */
export class PathLocks {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` after everything that was begun before on the same path. */
  async run<T>(path: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(path);
    const running = (before ?? Promise.resolve()).then(work, work);
    this.#last.set(path, running);
    try {
      return await running;
    } finally {
      if (this.#last.get(path) === running) this.#last.delete(path);
    }
  }
}
