import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';

/** How far an agent may be ahead of the journal, in steps and in characters, before its text methods wait. */
const MAX_AHEAD = 512;
const MAX_AHEAD_LENGTH = 256 * 1024;
/** The same in entries of the turn's part list, of which each step copies all: 32 MB, some hundredths of a second. */
const MAX_AHEAD_COPIED = 4_000_000;

/**
 * The same for an agent that does not wait. Inside the host's process such a one lets nobody else have a turn of the event loop, and the
 * memory fills: this many steps take some tenths of a second.
 */
export const MAX_RUNAWAY = 4_096;
const MAX_RUNAWAY_LENGTH = 64 * 1024 * 1024;
const MAX_RUNAWAY_COPIED = 60_000_000;
const MEBIBYTE = 1024 * 1024;

const READY = Promise.resolve();

/**
 * Back-pressure of one turn: lets an agent run ahead of the commits a little, and waits while the journal is down. Every change that an agent
 * makes is a step.
 */
export class TurnBackpressure {
  readonly #sync: Sync;
  /** Characters of each step that is not committed yet, oldest first. */
  readonly #ahead: number[] = [];
  #aheadLength = 0;
  #partCount = 0;
  #waiters: (() => void)[] = [];
  #isReleasing = false;
  readonly #onRunaway: (why: string) => void;

  /** `onRunaway`: the agent does not wait, and has to be stopped; `why` is for people. */
  constructor(sync: Sync, onRunaway: (why: string) => void) {
    this.#sync = sync;
    this.#onRunaway = onRunaway;
  }

  /** Says how many parts the turn has: the more, the more each step costs. */
  setPartCount(partCount: number): void {
    this.#partCount = partCount;
  }

  /** How far the agent is ahead, when it has to be stopped for it. */
  #runaway(): string | undefined {
    const maxSteps = Math.min(MAX_RUNAWAY, Math.floor(MAX_RUNAWAY_COPIED / Math.max(this.#partCount, 1)));
    if (this.#ahead.length >= maxSteps) return `${maxSteps} steps`;
    if (this.#aheadLength < MAX_RUNAWAY_LENGTH) return undefined;
    return `${MAX_RUNAWAY_LENGTH / MEBIBYTE} Mi characters`;
  }

  /** Counts one step of so many characters: what `work` changes, and then `stepped`. Resolves when the agent may take the next. */
  step(length: number, work: (tx: Tx) => void): Promise<void> {
    const runaway = this.#runaway();
    if (runaway !== undefined) {
      this.#onRunaway(`it ran ${runaway} ahead of the host and did not wait`);
      return READY;
    }
    this.#sync.transact('host', work);
    this.#ahead.push(length);
    this.#aheadLength += length;
    return this.ready();
  }

  /** Resolves when the agent may take the next step. */
  ready(): Promise<void> {
    if (this.#hasRoom && this.#sync.path.isHealthy) return READY;
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** The turn is over: nobody waits any more. */
  end(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  get #hasRoom(): boolean {
    const { length } = this.#ahead;
    return (
      length < MAX_AHEAD &&
      this.#aheadLength < MAX_AHEAD_LENGTH &&
      length * this.#partCount < MAX_AHEAD_COPIED
    );
  }

  // One function each for all steps: there is one step for every few words that an agent says.

  /** What a step's `work` ends with. */
  readonly stepped = (tx: Tx): void => tx.effect(this.#committed);
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
