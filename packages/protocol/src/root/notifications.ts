import type { SessionSummary } from '../session/state.ts';
import type { BaseParams, URI } from '../wire/basics.ts';

/** `root/sessionAdded`: a session joins the catalogue [ROOT-3]. */
export interface SessionAddedParams extends BaseParams {
  summary: SessionSummary;
}

/** `root/sessionRemoved`: a session is disposed [ROOT-3]. */
export interface SessionRemovedParams extends BaseParams {
  session: URI;
}

/** `root/sessionSummaryChanged`: fields of a catalogue entry have new values [ROOT-3]. */
export interface SessionSummaryChangedParams extends BaseParams {
  session: URI;
  changes: SessionSummaryChanges;
}

/**
 * The fields that changed; absent ones did not. `resource`, `provider` and `createdAt` never do and are ignored by
 * receivers; an `activity` of `''` means that there is none any more [ROOT-3].
 */
export type SessionSummaryChanges = Partial<SessionSummary>;

/** `root/progress`: how far a long request is. Goes to the client alone that gave the token [ROOT-3]. */
export interface ProgressParams extends BaseParams {
  /** The request's own `progressToken`. */
  progressToken: string;
  /** In units of the operation's choice, never falling. The last frame has it equal `total`, on failure too. */
  progress: number;
  /** In the same units. Absent: not known yet. */
  total?: number;
  message?: string;
}
