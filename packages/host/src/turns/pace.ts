import type { Sync } from '../sync/sync.ts';

/** How far an agent may be ahead of the journal before its text methods wait. */
const MAX_AHEAD = 256;

/** Back-pressure of one turn: lets an agent run ahead of the commits a little, and waits while the journal is down. */
export class Pace {
  readonly #sync: Sync;
  #ahead = 0;
  #waiters: (() => void)[] = [];

  constructor(sync: Sync) {
    this.#sync = sync;
  }

  /** Counts one step; resolves when the agent may take the next. */
  step(): Promise<void> {
    this.#ahead += 1;
    this.#sync.path.transact('host', this.#count);
    if (this.#ahead < MAX_AHEAD && this.#sync.path.isHealthy) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** The turn is over: nobody waits any more. */
  end(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  // One function each for all steps: there is one step for every few words that an agent says.
  readonly #count = (): void => this.#sync.path.effect(this.#committed);
  readonly #committed = (): void => {
    this.#ahead -= 1;
    if (this.#ahead < MAX_AHEAD && this.#waiters.length > 0) this.end();
  };
}
