import { type Clock, steadyNow } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Folders } from './folders.ts';

/** Records are kept for this time. */
const KEPT_MS = 90 * 24 * 3_600_000;
/** Interval of the removal of old records. */
const EVERY_MS = 6 * 3_600_000;

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly log: Log;
  readonly folders: Folders;
  /** Whether a turn is recorded now: its tree is in no record yet. */
  isBusy(): boolean;
}

/** Removes old records and those of removed chats, and the content that no record needs any more. */
export class Retention {
  readonly #parts: Parts;
  #running: Promise<void> | undefined;
  #nextAt: number;
  #isOver = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#nextAt = steadyNow(parts.clock);
  }

  /** A record was added: the stores are compacted soon if they have many files. */
  recorded(): void {
    this.#nextAt = Math.min(this.#nextAt, steadyNow(this.#parts.clock));
  }

  /** Begins the removal when it is due and no turn runs. */
  sweep(): void {
    const { clock, isBusy } = this.#parts;
    if (this.#running !== undefined || this.#isOver || isBusy() || steadyNow(clock) < this.#nextAt) return;
    this.#nextAt = steadyNow(clock) + EVERY_MS;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    const { sync, clock, log, folders, isBusy } = this.#parts;
    for (const { store, records } of await folders.all()) {
      try {
        await records.drop(
          clock.now() - KEPT_MS,
          async (chat) => (await sync.journal.readChannelHead(chat)) === undefined,
        );
        // A turn may have begun meanwhile.
        if (this.#isOver || isBusy()) return;
        await store.compact();
      } catch (error) {
        log.warn({ error, root: store.root }, 'old changes were not removed');
      }
    }
  }

  /** Ends the removal after the store that it works on. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }
}
