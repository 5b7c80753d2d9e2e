import { type Clock, steadyNow, type Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { listByGit } from './git-listing.ts';
import { buildIndex } from './path-index.ts';
import { PathSearch } from './path-search.ts';
import { givingWay, Slices } from './slices.ts';
import { listByWalk } from './walk-listing.ts';

/** Files younger than this may be missing from an answer. */
const FRESH_MS = 2_000;
/** Listing a folder anew takes at most this share of the time while somebody writes. */
const REFRESH_SHARE = 0.1;
/** For listing: what takes longer is left out, or is not listed at all. */
const LIST_LIMIT_MS = 10_000;
/** Without git. */
const MAX_WALKED = 100_000;

/** What folders are listed with. */
export interface FolderParts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** The paths of one folder: listed on first use, and again behind answers from what was there before. */
export class FolderPaths {
  readonly #folder: string;
  readonly #parts: FolderParts;
  readonly #isBusy: () => boolean;
  readonly #end = new AbortController();
  #search: PathSearch | undefined;
  #listing: Promise<void> | undefined;
  /** When the present paths were begun to be listed, and how long that took, ms. */
  #listedAt = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  /** When they were asked for last. */
  usedAt: number;

  /** `isBusy`: whether a search runs now, for which listing waits. */
  constructor(folder: string, parts: FolderParts, isBusy: () => boolean) {
    this.#isBusy = isBusy;
    this.#folder = folder;
    this.#parts = parts;
    this.usedAt = steadyNow(parts.clock);
  }

  get byteLength(): number {
    return this.#search?.index.byteLength ?? 0;
  }

  /** The paths as they are known, now. Lists them again when that was long ago. `undefined`: not listed yet; see `listed`. */
  use(): PathSearch | undefined {
    const now = steadyNow(this.#parts.clock);
    this.usedAt = now;
    const age = now - this.#listedAt;
    // A clock that was set back says nothing.
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
