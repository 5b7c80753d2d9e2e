import type { Sync } from '../sync/sync.ts';

/** How far an agent may be ahead of the journal, in steps and in characters, before its text methods wait. */
const MAX_AHEAD = 512;
const MAX_AHEAD_LENGTH = 256 * 1024;

const ready = Promise.resolve();

/** Back-pressure of one turn: lets an agent run ahead of the commits a little, and waits while the journal is down. */
export class Pace {
  readonly #sync: Sync;
  /** Characters of each step that is not committed yet, oldest first. */
  readonly #ahead: number[] = [];
  #aheadLength = 0;
  #waiters: (() => void)[] = [];
  #isReleasing = false;

  constructor(sync: Sync) {
    this.#sync = sync;
  }

  /** Counts one step of so many characters: what `work` changes, and then `stepped`. Resolves when the agent may take the next. */
  step(length = 0, work: () => void = this.stepped): Promise<void> {
    this.#ahead.push(length);
    this.#aheadLength += length;
    this.#sync.path.transact('host', work);
    if (this.#hasRoom && this.#sync.path.isHealthy) return ready;
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** The turn is over: nobody waits any more. */
  end(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  get #hasRoom(): boolean {
    return this.#ahead.length < MAX_AHEAD && this.#aheadLength < MAX_AHEAD_LENGTH;
  }

  // One function each for all steps: there is one step for every few words that an agent says.

  /** What a step's `work` ends with. */
  readonly stepped = (): void => this.#sync.path.effect(this.#committed);
  readonly #committed = (): void => {
    this.#aheadLength -= this.#ahead.shift() ?? 0;
    if (!this.#hasRoom || this.#waiters.length === 0 || this.#isReleasing) return;
    // Large output is committed early, without a turn of the event loop: an agent that went on at once would let nobody
    // else have one, and what was sent would pile up in front of the sockets.
    this.#isReleasing = true;
    this.#sync.path.afterTurn(this.#release);
  };
  readonly #release = (): void => {
    this.#isReleasing = false;
    this.end();
  };
}
