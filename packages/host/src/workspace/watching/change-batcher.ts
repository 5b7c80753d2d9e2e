import { type Cancel, type Clock, steadyNow, type Timers } from '../../lib/clock.ts';
import type { ChangeBatch, FileChange, FileChangeType } from './tree-source.ts';

/** Time without a further change after which changes are reported, in ms. Also the time in which a deleted file can come back. */
const QUIET_MS = 100;
/** Longest time that a change waits while others keep coming, in ms. */
const MAX_WAIT_MS = 1_000;
/** Limit of changes in a batch. */
const MAX_CHANGES = 4_000;
/** Limit of the paths in a batch, in UTF-16 code units. */
const MAX_LENGTH = 512 * 1_024;
/** Limit of changes that wait. Above it they are replaced by "anything may have changed". */
const MAX_WAITING = 50_000;

interface Waiting {
  readonly type: FileChangeType;
  readonly at: number;
}

/** The effect of a change on one that waits; `undefined`: together they change nothing. */
function joined(before: FileChangeType | undefined, type: FileChangeType): FileChangeType | undefined {
  if (before === undefined) return type;
  if (before === 'added') return type === 'deleted' ? undefined : 'added';
  return type === 'deleted' ? 'deleted' : 'updated';
}

/**
 * Gathers the changes of a tree into batches. A path is in a batch once, with all that happened to it: a file that an editor replaced is
 * `updated`, and a temporary file that is gone again is not reported. Order within a batch means nothing.
 */
export class ChangeBatcher {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #report: (batch: ChangeBatch) => void;
  readonly #maxWaiting: number;
  readonly #waiting = new Map<string, Waiting>();
  #isMissing = false;
  #firstAt = 0;
  #lastAt = 0;
  #cancel: Cancel | undefined;
  #isClosed = false;

  /** @param options.maxWaiting limit of changes that wait. Default 50,000. */
  constructor(
    { clock, timers }: { readonly clock: Clock; readonly timers: Timers },
    report: (batch: ChangeBatch) => void,
    { maxWaiting = MAX_WAITING }: { readonly maxWaiting?: number } = {},
  ) {
    this.#clock = clock;
    this.#timers = timers;
    this.#report = report;
    this.#maxWaiting = maxWaiting;
  }

  /** Adds a change. */
  add({ path, type }: FileChange): void {
    if (this.#isClosed) return;
    this.#begin();
    if (this.#isMissing) return;
    const together = joined(this.#waiting.get(path)?.type, type);
    if (together === undefined) this.#waiting.delete(path);
    else this.#waiting.set(path, { type: together, at: this.#lastAt });
    if (this.#waiting.size > this.#maxWaiting) this.addMissed();
  }

  /** Replaces everything that waits by "anything may have changed". */
  addMissed(): void {
    if (this.#isClosed) return;
    this.#begin();
    this.#isMissing = true;
    this.#waiting.clear();
  }

  /** Drops what waits. */
  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
    this.#waiting.clear();
  }

  #begin(): void {
    this.#lastAt = steadyNow(this.#clock);
    if (this.#cancel !== undefined) return;
    this.#firstAt = this.#lastAt;
    this.#wait(QUIET_MS);
  }

  #wait(ms: number): void {
    this.#cancel = this.#timers.after(ms, () => {
      const now = steadyNow(this.#clock);
      const left = Math.min(this.#lastAt + QUIET_MS, this.#firstAt + MAX_WAIT_MS) - now;
      if (left > 0) {
        this.#wait(left);
        return;
      }
      this.#cancel = undefined;
      this.#flush(now);
    });
  }

  #flush(now: number): void {
    if (this.#isMissing) {
      this.#isMissing = false;
      this.#report({ changes: [], isMissed: true });
      return;
    }
    let changes: FileChange[] = [];
    let length = 0;
    for (const [path, { type, at }] of this.#waiting) {
      // The file may come back.
      if (type === 'deleted' && now - at < QUIET_MS) continue;
      this.#waiting.delete(path);
      if (changes.length >= MAX_CHANGES || (length > 0 && length + path.length > MAX_LENGTH)) {
        this.#report({ changes, isMissed: false });
        changes = [];
        length = 0;
      }
      changes.push({ path, type });
      length += path.length;
    }
    if (changes.length > 0) this.#report({ changes, isMissed: false });
    if (this.#waiting.size === 0 || this.#isClosed) return;
    this.#firstAt = now;
    this.#wait(QUIET_MS);
  }
}
