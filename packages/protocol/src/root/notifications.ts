import type { SessionSummary } from '../session/state.ts';
import type { NotificationParams, URI } from '../wire/basics.ts';

/** `root/sessionAdded`: a session was added to the catalogue [ROOT-3]. */
export interface SessionAddedParams extends NotificationParams {
  summary: SessionSummary;
}

/** `root/sessionRemoved`: a session was disposed [ROOT-3]. */
export interface SessionRemovedParams extends NotificationParams {
  session: URI;
}

/** `root/sessionSummaryChanged`: fields of a catalogue entry changed [ROOT-3]. */
export interface SessionSummaryChangedParams extends NotificationParams {
  session: URI;
  changes: SessionSummaryChanges;
}

/**
 * The changed fields. `resource`, `provider` and `createdAt` never change and are ignored by receivers. An
 * `activity` of `''` removes the activity [ROOT-3].
 */
export type SessionSummaryChanges = Partial<SessionSummary>;

/** `root/progress`: progress of a long request. Sent only to the client that gave the token [ROOT-3]. */
export interface ProgressParams extends NotificationParams {
  /** `progressToken` of the request. */
  progressToken: string;
  /**
   * In units that the operation chooses; never decreases. The last notification has it equal to `total`, also
   * on failure.
   */
  progress: number;
  /** In the same units. Absent: unknown. */
  total?: number;
  message?: string;
}
