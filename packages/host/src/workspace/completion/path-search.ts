import { Best } from './best.ts';
import { foldQuery, maskOf } from './fold.ts';
import { type PathIndex, pathAt } from './path-index.ts';
import { baseScore, exactScore, perfectScore, roughScore } from './score.ts';
import type { Slices } from './slices.ts';

/** So many of the roughly best are looked at exactly. */
const FINALISTS = 256;
/** Queries whose matches are kept, so that the next key stroke looks at those alone. */
const KEPT_QUERIES = 4;
/** Between two looks at the clock. */
const STEPS = 1_024;
/** One point outweighs any difference in length. */
const POINT = 4_096;

/** Searches one index; remembers what the last queries left, since most queries go on from one of them. */
export class PathSearch {
  readonly index: PathIndex;
  readonly #kept: { readonly query: string; readonly entries: Uint32Array }[] = [];

  constructor(index: PathIndex) {
    this.index = index;
  }

  /**
   * Paths that have the query's characters in order, the best first: those with all of it in the last segment, at beginnings of words, side
   * by side, and of equals the shorter. Without a query, what lies nearest.
   */
  async find(query: string, limit: number, slices: Slices): Promise<readonly string[]> {
    const folded = foldQuery(query);
    const entries =
      folded.length === 0 ? await this.#nearest(limit, slices) : await this.#matches(folded, limit, slices);
    const ranked = entries.map((entry) => ({
      path: pathAt(this.index, entry),
      rank:
        folded.length === 0
          ? this.#nearness(entry)
          : this.#rank(entry, exactScore(this.index, entry, folded)),
    }));
    ranked.sort((one, other) => other.rank - one.rank || (one.path < other.path ? -1 : 1));
    return ranked.slice(0, limit).map(({ path }) => path);
  }

  async #nearest(limit: number, slices: Slices): Promise<readonly number[]> {
    const best = new Best(limit);
    for (let entry = 0; entry < this.index.starts.length; entry += 1) {
      best.offer(entry, this.#nearness(entry));
      if (entry % STEPS === 0 && slices.isOver) await slices.next();
    }
    return best.entries;
  }

  async #matches(query: Uint16Array, limit: number, slices: Slices): Promise<readonly number[]> {
    const text = String.fromCharCode(...query);
    const wanted = { folded: query, mask: maskOf(query, 0, query.length) };
    const size = this.index.starts.length;
    const among = this.#narrowed(text);
    const count = among?.length ?? size;
    const best = new Best(FINALISTS);
    const found = new Uint32Array(count);
    let foundCount = 0;
    const perfect = perfectScore(query);
    let perfectCount = 0;
    let isBaseOnly = false;
    for (let at = 0; at < count; at += 1) {
      const entry = among?.[at] ?? at;
      // Where the best of them would not be taken, whole paths are not looked at: many begin alike.
      isBaseOnly ||= this.#rank(entry, perfect - baseScore) <= best.floor;
      const score = roughScore(this.index, entry, wanted, isBaseOnly);
      if (score !== Number.NEGATIVE_INFINITY) {
        found[foundCount] = entry;
        foundCount += 1;
        best.offer(entry, this.#rank(entry, score));
        // Whatever comes now is no better, and longer.
        if (score === perfect && (perfectCount += 1) >= limit) return best.entries;
      }
      if (at % STEPS === 0 && slices.isOver) await slices.next();
    }
    // A query that nearly all match saves the next one nothing.
    if (!isBaseOnly && foundCount < size / 4) this.#keep(text, found.slice(0, foundCount));
    return best.entries;
  }

  /** The least that is known to hold all matches. */
  #narrowed(query: string): Uint32Array | undefined {
    const wider = this.#kept.filter((kept) => query.startsWith(kept.query));
    return wider.toSorted((one, other) => one.entries.length - other.entries.length)[0]?.entries;
  }

  #keep(query: string, entries: Uint32Array): void {
    const same = this.#kept.findIndex((kept) => kept.query === query);
    if (same >= 0) this.#kept.splice(same, 1);
    this.#kept.push({ query, entries });
    if (this.#kept.length > KEPT_QUERIES) this.#kept.shift();
  }

  #rank(entry: number, score: number): number {
    return score * POINT - this.#length(entry);
  }

  /** Fewer folders on the way, then shorter. */
  #nearness(entry: number): number {
    return -(this.index.depths[entry] ?? 0) * POINT - this.#length(entry);
  }

  #length(entry: number): number {
    return Math.min((this.index.ends[entry] ?? 0) - (this.index.starts[entry] ?? 0), POINT - 1);
  }
}
