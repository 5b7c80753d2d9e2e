import type { Match, SearchField } from './match.ts';

/** A row of the catalogue. */
export interface SearchedSession {
  readonly uri: string;
  readonly modifiedAt: string;
  readonly summary: string;
}

/** The end of a page of results. `search` returns it for the next call with the same query. */
export interface SearchPosition {
  /** Turns below this key are ranked together. */
  readonly below: number;
  /** Number of their results on earlier pages. */
  readonly skip: number;
  /** Whether titles are ranked with these turns: true for the newest turns. */
  readonly withTitles: boolean;
}

/** Options of a search. */
export interface SearchOptions {
  /** At least 1. */
  readonly limit: number;
  /** Absent: from the beginning. */
  readonly after?: SearchPosition;
  /** Ends the search between two slices; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Resolves when the next slice of a few milliseconds may run. Default: waits one iteration of the event loop. */
  readonly pause?: () => Promise<void>;
}

/** A title or a turn that matches. */
export interface SearchHit {
  readonly session: SearchedSession;
  /** Absent for the title of the session. */
  readonly chat?: string;
  /** The turn, with `ordinal`; absent for a title. */
  readonly turnId?: string;
  readonly ordinal?: number;
  readonly field: SearchField;
  readonly snippet: string;
  readonly matches: Match['matches'];
}

/** A page of results. */
export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** Absent on the last page. */
  readonly next?: SearchPosition;
  /** False while rows older than the word index are not indexed yet. */
  readonly isComplete: boolean;
}
