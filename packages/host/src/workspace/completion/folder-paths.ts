import { type Clock, steadyNow, type Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { listByGit } from './git-listing.ts';
import { buildIndex } from './path-index.ts';
import { PathSearch } from './path-search.ts';
import { givingWay, Slices } from './slices.ts';
import { listByWalk } from './walk-listing.ts';

/** Age of a listing after which the folder is listed again. Newer files may be missing from an answer. */
const FRESH_MS = 2_000;
/** Largest share of time for repeated listings of a folder. */
const REFRESH_SHARE = 0.1;
/** Time limit of a listing. */
const LIST_LIMIT_MS = 10_000;
/** Limit of paths of a walk without git. */
const MAX_WALKED = 100_000;

/** Parts that list folders. */
export interface FolderParts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** The paths of one folder. It is listed on first use, and again in the background after answers from an old listing. */
export class FolderPaths {
  readonly #folder: string;
  readonly #parts: FolderParts;
  readonly #isBusy: () => boolean;
  readonly #end = new AbortController();
  #search: PathSearch | undefined;
  #listing: Promise<void> | undefined;
  /** Start and duration of the current listing in ms. */
  #listedAt = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  /** Time of the last use. */
  usedAt: number;

  /** `isBusy`: whether a search runs. Listings wait for searches. */
  constructor(folder: string, parts: FolderParts, isBusy: () => boolean) {
    this.#isBusy = isBusy;
    this.#folder = folder;
    this.#parts = parts;
    this.usedAt = steadyNow(parts.clock);
  }

  get byteLength(): number {
    return this.#search?.index.byteLength ?? 0;
  }

  /** The current listing; `undefined` before the first (see `listed`). Starts another listing when this one is old. */
  use(): PathSearch | undefined {
    const now = steadyNow(this.#parts.clock);
    this.usedAt = now;
    const age = now - this.#listedAt;
    // After a clock was set back, the age is unknown.
    const isOld = age < 0 || age >= Math.max(FRESH_MS, this.#tookMs / REFRESH_SHARE);
    if (isOld) void this.listed();
    return this.#search;
  }

  /** Resolves when the listing that runs, or a new one, is through. Never rejects. */
  listed(): Promise<void> {
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  /** Stops what runs for it. */
  end(): void {
    this.#end.abort();
  }

  async #list(): Promise<void> {
    const { clock, timers, log } = this.#parts;
    const startedAt = steadyNow(clock);
    const limit = new AbortController();
    const cancel = timers.after(LIST_LIMIT_MS, () => limit.abort());
    try {
      const source = await this.#read(AbortSignal.any([limit.signal, this.#end.signal]));
      if (source !== this.#search?.index.source) {
        const index = await buildIndex(source, new Slices(givingWay(timers, this.#end.signal, this.#isBusy)));
        this.#search = new PathSearch(index);
      }
    } catch (error) {
      if (!this.#end.signal.aborted) log.warn({ error, folder: this.#folder }, 'a folder cannot be listed');
    } finally {
      cancel();
      this.#listedAt = startedAt;
      this.#tookMs = steadyNow(clock) - startedAt;
    }
  }

  async #read(signal: AbortSignal): Promise<string> {
    const byGit = await listByGit(this.#folder, signal);
    // A folder that git ignores as a whole has none of its files there.
    if (byGit !== undefined && byGit !== '') return byGit;
    return listByWalk(this.#folder, MAX_WALKED, signal);
  }
}
