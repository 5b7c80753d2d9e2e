import { SLICE_MS } from '../../lib/slice-scheduler.ts';
import { matchFields } from './match.ts';
import { parseQuery, type Term } from './query.ts';
import type { SearchedSession, SearchHit, SearchOptions, SearchPage, SearchPosition } from './results.ts';
import { textOf } from './text.ts';

/** A matching title. */
export interface TitleFound {
  readonly session: string;
  readonly chat?: string;
  readonly title: string;
}

/** A matching turn. Newer turns have higher keys. */
export interface TurnFound {
  readonly key: number;
  readonly chat: string;
  readonly turnId: string;
  readonly ordinal: number;
}

/** Matches of one slice. `resume` is present when the slice ended early: the next slice continues below that key. */
export interface FoundSlice<T> {
  readonly found: readonly T[];
  readonly resume?: number;
}

/**
 * Searchable rows. Each call takes a few milliseconds of the event loop at most. Rows that a search found are at hand: they are read
 * without a promise.
 */
export interface SearchSource {
  /** A number above every key. */
  end(): number | Promise<number>;
  isComplete(): boolean | Promise<boolean>;
  /** Matching titles, the latest first. Titles have keys of their own, which `below` limits. */
  titles(
    terms: readonly Term[],
    below: number,
    limit: number,
  ): FoundSlice<TitleFound> | Promise<FoundSlice<TitleFound>>;
  /** Matching turns, newest first. A turn that chats share comes once. */
  turns(
    terms: readonly Term[],
    below: number,
    limit: number,
  ): FoundSlice<TurnFound> | Promise<FoundSlice<TurnFound>>;
  json(key: number): string | undefined;
  sessionOf(chat: string): string | undefined;
  session(uri: string): SearchedSession | undefined;
}

/** Matches that are ranked together: first the newest, then the next older ones. */
const TITLES_RANKED = 200;
const TURNS_RANKED = 200;
const HITS_OF_SESSION = 3;
/** Half-life of the bonus for recent sessions. */
const HALF_LIFE_MS = 30 * 24 * 60 * 60 * 1_000;
const RECENCY_WEIGHT = 2;
/** Deduction for the title of a chat against that of its session. */
const CHAT_PENALTY = 0.1;

/** Divides a search into slices. */
export interface Slices {
  /** Runs one slice on the current source. */
  read<T>(slice: (source: SearchSource) => T | Promise<T>): Promise<T>;
  /** Default of `SearchOptions.pause`. Absent: the search is one slice. */
  readonly pause?: () => Promise<void>;
}

/** Searches in slices of a few milliseconds. */
export async function search(
  given: Slices,
  query: string,
  { limit, after, signal, pause }: SearchOptions,
): Promise<SearchPage> {
  const terms = parseQuery(query);
  const slices: Slices = {
    ...given,
    ...(given.pause === undefined || pause === undefined ? {} : { pause }),
    read: async (slice) => {
      signal?.throwIfAborted();
      return given.read(slice);
    },
  };
  const isComplete = await slices.read((source) => source.isComplete());
  if (terms.length === 0) return { hits: [], isComplete };
  let position = after ?? { below: await slices.read((source) => source.end()), skip: 0, withTitles: true };
  const hits: SearchHit[] = [];
  for (;;) {
    const { ranked, oldest } = await rank(slices, terms, position);
    const wanted = ranked.slice(position.skip, position.skip + limit - hits.length);
    hits.push(...wanted);
    const skip = position.skip + wanted.length;
    if (skip < ranked.length) return { hits, next: { ...position, skip }, isComplete };
    if (oldest === undefined) return { hits, isComplete };
    position = { below: oldest, skip: 0, withTitles: false };
    if (hits.length >= limit) return { hits, next: position, isComplete };
  }
}

interface Scored {
  readonly hit: SearchHit;
  readonly relevance: number;
}

/** Ranks the newest matches. `oldest` is present when there may be more below this key. */
async function rank(
  slices: Slices,
  terms: readonly Term[],
  { below, withTitles }: SearchPosition,
): Promise<{ ranked: readonly SearchHit[]; oldest: number | undefined }> {
  const titles = withTitles
    ? await gather(slices, { below: Number.MAX_SAFE_INTEGER, limit: TITLES_RANKED }, (source, from, left) =>
        source.titles(terms, from, left),
      )
    : [];
  const turns = await gather(slices, { below, limit: TURNS_RANKED }, (source, from, left) =>
    source.turns(terms, from, left),
  );
  const scored = [
    ...(await inSlices(slices, titles, (source, title) => scoreTitle(source, terms, title))),
    ...(await inSlices(slices, turns, (source, turn) => scoreTurn(source, terms, turn))),
  ];
  const newest = Math.max(...scored.map(({ hit }) => Date.parse(hit.session.modifiedAt)));
  const worth = ({ hit, relevance }: Scored): number => {
    const age = newest - Date.parse(hit.session.modifiedAt);
    return relevance + RECENCY_WEIGHT * 0.5 ** (age / HALF_LIFE_MS);
  };
  const ranked = scored
    .map((each) => ({ hit: each.hit, worth: worth(each) }))
    .toSorted((a, b) => b.worth - a.worth)
    .map(({ hit }) => hit);
  return {
    ranked: ranked.filter(firstOfSession()),
    oldest: turns.length < TURNS_RANKED ? undefined : turns.at(-1)?.key,
  };
}

/** Collects at most `limit` matches, slice by slice. */
async function gather<T>(
  { read, pause }: Slices,
  { below, limit }: { readonly below: number; readonly limit: number },
  look: (source: SearchSource, from: number, left: number) => FoundSlice<T> | Promise<FoundSlice<T>>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let from = below; ; await pause?.()) {
    const start = from;
    const { found, resume } = await read((source) => look(source, start, limit - all.length));
    all.push(...found);
    if (resume === undefined || all.length >= limit) return all;
    from = resume;
  }
}

/** A filter that keeps a few hits of each session, and at most one of them a title. */
function firstOfSession(): (hit: SearchHit) => boolean {
  const counts = new Map<string, number>();
  const titled = new Set<string>();
  return ({ session: { uri }, field }) => {
    const count = counts.get(uri) ?? 0;
    if (count >= HITS_OF_SESSION || (field === 'title' && titled.has(uri))) return false;
    if (field === 'title') titled.add(uri);
    counts.set(uri, count + 1);
    return true;
  };
}

async function inSlices<T>(
  { read, pause }: Slices,
  items: readonly T[],
  score: (source: SearchSource, item: T) => Scored | undefined,
): Promise<Scored[]> {
  const scored: Scored[] = [];
  const left = items.values();
  for (let isDone = false; !isDone; await pause?.()) {
    isDone = await read((source) => {
      const end = pause === undefined ? Infinity : performance.now() + SLICE_MS;
      for (const item of left) {
        const found = score(source, item);
        if (found !== undefined) scored.push(found);
        if (end !== Infinity && performance.now() > end) return false;
      }
      return true;
    });
  }
  return scored;
}

function scoreTitle(
  source: SearchSource,
  terms: readonly Term[],
  { session: uri, chat, title }: TitleFound,
): Scored | undefined {
  const session = source.session(uri);
  const match = matchFields({ title }, terms);
  if (session === undefined || match === undefined) return undefined;
  const { relevance, ...shown } = match;
  // A chat often has the title of its session.
  if (chat !== undefined) return { hit: { session, chat, ...shown }, relevance: relevance - CHAT_PENALTY };
  return { hit: { session, ...shown }, relevance };
}

function scoreTurn(
  source: SearchSource,
  terms: readonly Term[],
  { key, chat, turnId, ordinal }: TurnFound,
): Scored | undefined {
  const of = source.sessionOf(chat);
  const session = of === undefined ? undefined : source.session(of);
  // The turn may have been truncated since the slice that found it.
  const json = source.json(key);
  const match = json === undefined ? undefined : matchFields({ ...textOf(json) }, terms);
  if (session === undefined || match === undefined) return undefined;
  const { relevance, ...shown } = match;
  return { hit: { session, chat, turnId, ordinal, ...shown }, relevance };
}
