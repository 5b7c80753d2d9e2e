import type { JournalWrite } from '../journal/journal.ts';
import { JournalUnavailable } from '../sync/commit-path.ts';
import type { Sync } from '../sync/sync.ts';

/** Commits rows of those who stand outside of channels, in turn with everything else. */
export class Commits {
  readonly #sync: Sync;
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  constructor(sync: Sync) {
    this.#sync = sync;
  }

  /** Resolves when they are durable, however long the journal cannot be written; rejects when the host stops before. */
  readonly commit = (writes: readonly JournalWrite[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.delete(giveUp);
        reject(new JournalUnavailable('The host is stopping, and cannot write its journal'));
      };
      this.#waiting.add(giveUp);
      this.#sync.path.transact('host', () => {
        for (const write of writes) this.#sync.path.write(write);
        this.#sync.path.effect(() => {
          this.#waiting.delete(giveUp);
          resolve();
        });
      });
      if (this.#isOver && !this.#sync.path.isHealthy) giveUp();
    });

  /** Resolves when they are durable, or are to be written as soon as the journal can be: with whether they are. */
  readonly commitSoon = (writes: readonly JournalWrite[]): Promise<boolean> =>
    new Promise((resolve) => {
      const { path } = this.#sync;
      let isBegun = false;
      path.transact('host', () => {
        isBegun = true;
        path.undo(() => resolve(false));
        for (const write of writes) path.write(write);
        path.effect(() => resolve(true));
      });
      if (!isBegun) resolve(false);
    });

  /** For what somebody asked for and is told of: rejects with `JournalUnavailable`, and leaves nothing, when it cannot be written now. */
  readonly commitNow = (writes: readonly JournalWrite[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const { path } = this.#sync;
      let isBegun = false;
      path.transact('client', () => {
        isBegun = true;
        path.undo(() => reject(new JournalUnavailable(path.trouble)));
        for (const write of writes) path.write(write);
        path.effect(resolve);
      });
      if (!isBegun) reject(new JournalUnavailable('The host is stopping'));
    });

  /** The host stops: nobody waits for a journal that cannot be written. */
  end(): void {
    this.#isOver = true;
    if (this.#sync.path.isHealthy) return;
    for (const giveUp of this.#waiting) giveUp();
  }
}
