import type { Match, SearchField } from './match.ts';

/** A catalogue row, as the journal has it. */
export interface SearchedSession {
  readonly uri: string;
  readonly modifiedAt: string;
  readonly summary: string;
}

/** Where a page of results ends. Made by `search`, for the next call with the same query. */
export interface SearchPosition {
  /** Turns below this key are ranked together. */
  readonly below: number;
  /** Results of those that have been given already. */
  readonly skip: number;
  /** Titles are ranked with the newest turns. */
  readonly withTitles: boolean;
}

/** What is wanted of a search. */
export interface SearchOptions {
  /** At least 1. */
  readonly limit: number;
  /** Absent: from the beginning. */
  readonly after?: SearchPosition;
  /** Ends it between two slices: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Waits for its next slice of a few milliseconds. Absent: a turn of the event loop. */
  readonly pause?: () => Promise<void>;
}

/** Something that was found. */
export interface SearchHit {
  readonly session: SearchedSession;
  /** Absent: the session's own title. */
  readonly chat?: string;
  /** With `ordinal`, the turn; absent: a title. */
  readonly turnId?: string;
  readonly ordinal?: number;
  readonly field: SearchField;
  readonly snippet: string;
  readonly matches: Match['matches'];
}

/** A page of results. */
export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** Absent: there are no more. */
  readonly next?: SearchPosition;
  /** False while what is older than the index is still being read into it. */
  readonly isComplete: boolean;
}
