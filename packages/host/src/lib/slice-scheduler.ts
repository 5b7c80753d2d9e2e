import type { Timers } from './clock.ts';

/** Milliseconds of one slice: nothing else in the process waits longer for one. */
export const SLICE_MS = 4;

/** Jobs of one party that have slices at the same time: each holds what it has found so far. */
const MAX_RUNNING_OF_PARTY = 4;
/** Jobs of one party that wait for a place among those. */
export const MAX_WAITING_OF_PARTY = 256;
/** Jobs that wait, of all parties. */
export const MAX_WAITING = 1_024;

/** A job's next slice; rejects with the signal's reason when nobody waits for the job any more. */
export type NextSlice = () => Promise<void>;

/** There is no place for a job. */
export class TooManyJobs extends Error {
  override readonly name = 'TooManyJobs';
  readonly limit: number;
  /** Whether the limit is one party's. */
  readonly isOfParty: boolean;

  constructor(limit: number, isOfParty: boolean) {
    super(`${limit} jobs wait already${isOfParty ? ' for this party' : ''}`);
    this.limit = limit;
    this.isOfParty = isOfParty;
  }
}

interface Party {
  runningCount: number;
  /** For a place, oldest first. */
  readonly waiting: Set<() => void>;
  /** For their next slice, in order. */
  readonly ready: Set<() => void>;
}

/**
 * Shares the event loop among long jobs: in each of its turns one job has one slice, however many there are, so that everything else comes
 * through. Parties (tokens) take turns, and so do the jobs of a party.
 */
export class SliceScheduler {
  readonly #timers: Timers;
  /** Those with jobs; who had the last slice comes last. */
  readonly #parties = new Map<string, Party>();
  #waitingCount = 0;
  #isTurnTaken = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /**
   * Runs a job: `work` waits for `next` before each slice. Rejects with `TooManyJobs` when too many wait, and with the signal's reason when
   * that aborts before the job has its place.
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

  /** Its place goes to the next one. */
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

  /** Returns whether there may be more to give. */
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

/** Resolves when the callback that it puts into the queue is called; rejects when the signal aborts first. */
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
