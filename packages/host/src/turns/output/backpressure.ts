import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';

/** Steps and characters that an agent may be ahead of the journal before its text methods wait. */
const MAX_AHEAD = 512;
const MAX_AHEAD_LENGTH = 256 * 1024;
/**
 * Limit on steps ahead multiplied by the turn's parts, because each step copies the list of parts. 32 MB;
 * takes some hundredths of a second.
 */
const MAX_AHEAD_COPIED = 4_000_000;

/**
 * Limits for an agent that does not wait. Such an agent inside the host's process blocks the event loop and
 * fills the memory. This number of steps takes some tenths of a second.
 */
export const MAX_RUNAWAY = 4_096;
const MAX_RUNAWAY_LENGTH = 64 * 1024 * 1024;
const MAX_RUNAWAY_COPIED = 60_000_000;
const MEBIBYTE = 1024 * 1024;

const READY = Promise.resolve();

/**
 * Backpressure of one turn: lets an agent run slightly ahead of the commits, and makes it wait while the
 * journal is unavailable. Each change that an agent makes is a step.
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

  /** `onRunaway`: called when the agent does not wait and must be stopped. `why` is shown to users. */
  constructor(sync: Sync, onRunaway: (why: string) => void) {
    this.#sync = sync;
    this.#onRunaway = onRunaway;
  }

  /** Sets the number of parts of the turn. Each step costs more in a turn with more parts. */
  setPartCount(partCount: number): void {
    this.#partCount = partCount;
  }

  /** How far the agent is ahead, if it must be stopped; otherwise `undefined`. */
  #runaway(): string | undefined {
    const maxSteps = Math.min(MAX_RUNAWAY, Math.floor(MAX_RUNAWAY_COPIED / Math.max(this.#partCount, 1)));
    if (this.#ahead.length >= maxSteps) return `${maxSteps} steps`;
    if (this.#aheadLength < MAX_RUNAWAY_LENGTH) return undefined;
    return `${MAX_RUNAWAY_LENGTH / MEBIBYTE} Mi characters`;
  }

  /**
   * Runs `work` as one step of `length` characters. `work` must call `stepped` at its end. Resolves when the
   * agent may take the next step.
   */
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

  /** Releases all waiting callers because the turn has ended. */
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

  /**
   * Must be called at the end of a step's `work`. One function for all steps, because agents take a step for
   * every few words.
   */
  readonly stepped = (tx: Tx): void => tx.effect(this.#committed);
  readonly #committed = (): void => {
    this.#aheadLength -= this.#ahead.shift() ?? 0;
    if (!this.#hasRoom || this.#waiters.length === 0 || this.#isReleasing) return;
    // Large output is committed early, in the same iteration of the event loop. An agent that continued at once
    // would block the event loop, and output would accumulate before the sockets are written.
    this.#isReleasing = true;
    this.#sync.path.afterTurn(this.#release);
  };
  readonly #release = (): void => {
    this.#isReleasing = false;
    this.end();
  };
}
