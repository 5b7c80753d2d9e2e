import type { Timers } from './clock.ts';

/** Duration of one slice in ms: the longest that it blocks the event loop. */
export const SLICE_MS = 4;

/** Limit of running jobs of one party. Each holds its results in memory. */
const MAX_RUNNING_OF_PARTY = 4;
/** Limit of waiting jobs of one party. */
export const MAX_WAITING_OF_PARTY = 256;
/** Limit of waiting jobs of all parties. */
export const MAX_WAITING = 1_024;

/** Resolves when the job's next slice may run; rejects with the signal's reason. */
export type NextSlice = () => Promise<void>;

/** Too many jobs wait. */
export class TooManyJobs extends Error {
  override readonly name = 'TooManyJobs';
  readonly limit: number;
  /** Whether the limit is that of one party. */
  readonly isOfParty: boolean;

  constructor(limit: number, isOfParty: boolean) {
    super(`${limit} jobs wait already${isOfParty ? ' for this party' : ''}`);
    this.limit = limit;
    this.isOfParty = isOfParty;
  }
}

interface Party {
  runningCount: number;
  /** Jobs that wait to run, oldest first. */
  readonly waiting: Set<() => void>;
  /** Jobs that wait for their next slice, in order. */
  readonly ready: Set<() => void>;
}

/**
 * Shares the event loop among long jobs. In each turn of the loop one job runs one slice, so that all other work continues. Parties
 * (tokens) take turns, and so do the jobs of a party.
 */
export class SliceScheduler {
  readonly #timers: Timers;
  /** Parties with jobs. The party of the last slice comes last. */
  readonly #parties = new Map<string, Party>();
  #waitingCount = 0;
  #isTurnTaken = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /**
   * Runs a job. `work` waits for `next` before each slice. Rejects with `TooManyJobs` when too many jobs wait, and with the signal's reason
   * when the signal aborts before the job runs.
   */
  async run<T>(name: string, signal: AbortSignal, work: (next: NextSlice) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const party = this.#partyOf(name);
    if (party.runningCount < MAX_RUNNING_OF_PARTY) party.runningCount += 1;
    else await this.#waitForPlace(party, signal);
    try {
      return await work(() => this.#nextSlice(party, signal));
    } finally {
      this.#leave(name, party);
    }
  }

  #partyOf(name: string): Party {
    const party = this.#parties.get(name) ?? { runningCount: 0, waiting: new Set(), ready: new Set() };
    this.#parties.set(name, party);
    return party;
  }

  async #waitForPlace({ waiting }: Party, signal: AbortSignal): Promise<void> {
    if (waiting.size >= MAX_WAITING_OF_PARTY) throw new TooManyJobs(MAX_WAITING_OF_PARTY, true);
    if (this.#waitingCount >= MAX_WAITING) throw new TooManyJobs(MAX_WAITING, false);
    this.#waitingCount += 1;
    try {
      await entered(waiting, signal);
    } finally {
      this.#waitingCount -= 1;
    }
  }

  /** Ends a job and starts a waiting one. */
  #leave(name: string, party: Party): void {
    const [next] = party.waiting;
    if (next !== undefined) return next();
    party.runningCount -= 1;
    if (party.runningCount === 0) this.#parties.delete(name);
  }

  #nextSlice({ ready }: Party, signal: AbortSignal): Promise<void> {
    const given = entered(ready, signal);
    this.#schedule();
    return given;
  }

  #schedule(): void {
    if (this.#isTurnTaken) return;
    this.#isTurnTaken = true;
    this.#timers.immediate(() => {
      this.#isTurnTaken = false;
      if (this.#giveSlice()) this.#schedule();
    });
  }

  /** Runs a slice of the next party. Returns whether another job may be ready. */
  #giveSlice(): boolean {
    for (const [name, party] of this.#parties) {
      const [begin] = party.ready;
      if (begin === undefined) continue;
      this.#parties.delete(name);
      this.#parties.set(name, party);
      begin();
      return true;
    }
    return false;
  }
}

/** Queues a callback and resolves when it is called; rejects when the signal aborts first. */
function entered(queue: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      queue.delete(begin);
      signal.removeEventListener('abort', abort);
    };
    const begin = (): void => {
      leave();
      resolve();
    };
    const abort = (): void => {
      leave();
      reject(signal.reason);
    };
    if (signal.aborted) return abort();
    queue.add(begin);
    signal.addEventListener('abort', abort, { once: true });
  });
}
