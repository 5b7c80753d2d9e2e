import { Best } from './best.ts';
import { foldQuery, maskOf } from './fold.ts';
import { type PathIndex, pathAt } from './path-index.ts';
import { type FoldedQuery, IN_BASE, perfectScore, scoreOf } from './score.ts';
import type { Slices } from './slices.ts';

/** Matches that are sorted by path where they are equal otherwise. */
const FINALISTS = 256;
/** Queries whose matches are kept, so that the next key stroke searches only those. */
const KEPT_QUERIES = 4;
/** Steps between two looks at the clock. */
const STEPS = 1_024;
/** One point outweighs any difference in length. */
const POINT = 4_096;

/** Searches one index. Keeps the matches of the last queries, since most queries continue one of them. */
export class PathSearch {
  readonly index: PathIndex;
  readonly #kept: { readonly query: string; readonly entries: Uint32Array }[] = [];

  constructor(index: PathIndex) {
    this.index = index;
  }

  /**
   * Paths that have the query's characters in order, the best first: a match in the last segment, at beginnings of words and of
   * neighbouring characters scores higher, and of equals the shorter path comes first. An empty query finds the paths with the fewest folders.
   */
  async find(query: string, limit: number, slices: Slices): Promise<readonly string[]> {
    const folded = foldQuery(query);
    const wanted = { folded, mask: maskOf(folded, 0, folded.length) };
    const entries =
      folded.length === 0 ? await this.#nearest(limit, slices) : await this.#matches(wanted, limit, slices);
    const ranked = entries.map((entry) => ({
      path: pathAt(this.index, entry),
      rank:
        folded.length === 0
          ? this.#nearness(entry)
          : this.#rank(entry, scoreOf(this.index, entry, wanted, false)),
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

  async #matches(wanted: FoldedQuery, limit: number, slices: Slices): Promise<readonly number[]> {
    const text = String.fromCharCode(...wanted.folded);
    const size = this.index.starts.length;
    const among = this.#narrowed(text);
    const count = among?.length ?? size;
    const best = new Best(FINALISTS);
    const found = new Uint32Array(count);
    let foundCount = 0;
    const perfect = perfectScore(wanted.folded);
    let perfectCount = 0;
    let isBaseOnly = false;
    for (let at = 0; at < count; at += 1) {
      const entry = among?.[at] ?? at;
      // Entries come in order of length. Once the best match outside a last segment ranks too low, only last segments are searched.
      isBaseOnly ||= this.#rank(entry, perfect - IN_BASE) <= best.floor;
      const score = scoreOf(this.index, entry, wanted, isBaseOnly);
      if (score !== Number.NEGATIVE_INFINITY) {
        found[foundCount] = entry;
        foundCount += 1;
        best.offer(entry, this.#rank(entry, score));
        // The entries that follow score no better, and are longer.
        if (score === perfect && (perfectCount += 1) >= limit) return best.entries;
      }
      if (at % STEPS === 0 && slices.isOver) await slices.next();
    }
    // Keeping a query that most entries match would save the next query nothing.
    if (!isBaseOnly && foundCount < size / 4) this.#keep(text, found.slice(0, foundCount));
    return best.entries;
  }

  /** The smallest kept list that holds all matches; `undefined`: all entries. */
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

  /** Fewer folders rank higher, then shorter paths. */
  #nearness(entry: number): number {
    return -(this.index.depths[entry] ?? 0) * POINT - this.#length(entry);
  }

  #length(entry: number): number {
    return Math.min((this.index.ends[entry] ?? 0) - (this.index.starts[entry] ?? 0), POINT - 1);
  }
}
