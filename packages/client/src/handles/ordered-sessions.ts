import type { SessionSummary, URI } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';

/**
 * Sessions by URI with their predictions, and those that are shown as an array in order. A change costs one pass over the array when the array
 * is read.
 */
export class OrderedSessions {
  /** Summaries as the host sent them. */
  readonly #confirmed = new Map<URI, SessionSummary>();
  /** Summaries with predictions. */
  readonly #all = new Map<URI, SessionSummary>();
  readonly #predict: (summary: SessionSummary) => SessionSummary;
  readonly #isShown: (summary: SessionSummary) => boolean;
  /** Changed since `items` was computed. */
  readonly #changed = new Set<URI>();
  #items: readonly SessionSummary[] = [];

  constructor(
    isShown: (summary: SessionSummary) => boolean,
    predict: (summary: SessionSummary) => SessionSummary,
  ) {
    this.#isShown = isShown;
    this.#predict = predict;
  }

  /** The summary with predictions. */
  get(uri: URI): SessionSummary | undefined {
    return this.#all.get(uri);
  }

  /** The summary as the host sent it. */
  confirmed(uri: URI): SessionSummary | undefined {
    return this.#confirmed.get(uri);
  }

  /** URIs of all sessions. */
  uris(): URI[] {
    return Array.from(this.#all.keys());
  }

  /** Adds or replaces a session. An equal summary changes nothing, not even the object. Returns whether something changed. */
  set(summary: SessionSummary): boolean {
    const before = this.#confirmed.get(summary.resource);
    if (before !== undefined && sameJson(before, summary)) return false;
    this.#confirmed.set(summary.resource, summary);
    return this.predictAgain(summary.resource);
  }

  /** Applies changed predictions to a session. Returns whether something changed. */
  predictAgain(uri: URI): boolean {
    const confirmed = this.#confirmed.get(uri);
    if (confirmed === undefined) return false;
    const predicted = this.#predict(confirmed);
    const before = this.#all.get(uri);
    if (before !== undefined && sameJson(before, predicted)) return false;
    this.#all.set(uri, predicted);
    this.#changed.add(uri);
    return true;
  }

  /** Removes a session. Returns whether it existed. */
  delete(uri: URI): boolean {
    this.#confirmed.delete(uri);
    if (!this.#all.delete(uri)) return false;
    this.#changed.add(uri);
    return true;
  }

  /** The shown sessions, most recently modified first. The same array until it changes. */
  get items(): readonly SessionSummary[] {
    if (this.#changed.size === 0) return this.#items;
    const fresh = Array.from(this.#changed)
      .flatMap((uri) => this.#all.get(uri) ?? [])
      .filter(this.#isShown)
      .sort(newestFirst);
    const kept = this.#items.filter(({ resource }) => !this.#changed.has(resource));
    this.#changed.clear();
    if (fresh.length > 0 || kept.length < this.#items.length) this.#items = merged(kept, fresh);
    return this.#items;
  }
}

/** Times of one host have one format, so their order is that of their texts. */
function newestFirst(a: SessionSummary, b: SessionSummary): number {
  if (a.modifiedAt !== b.modifiedAt) return a.modifiedAt < b.modifiedAt ? 1 : -1;
  return a.resource < b.resource ? -1 : 1;
}

function merged(a: readonly SessionSummary[], b: readonly SessionSummary[]): SessionSummary[] {
  const result: SessionSummary[] = [];
  let taken = 0;
  for (const item of a) {
    for (let next = b[taken]; next !== undefined && newestFirst(next, item) < 0; next = b[taken]) {
      result.push(next);
      taken += 1;
    }
    result.push(item);
  }
  return [...result, ...b.slice(taken)];
}
