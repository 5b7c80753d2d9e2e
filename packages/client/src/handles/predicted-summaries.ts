import {
  SessionStatus,
  type SessionSummary,
  type SessionSummaryChanges,
  type StateAction,
  type URI,
  withFlag,
} from '@agenthost/protocol';
import { Listeners, type ReportError } from '../listeners.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';

/** An action on a session that has no outcome yet, or has just got one. */
export interface SessionActionChange {
  readonly session: URI;
  /** The action that the host accepted. Absent when an action was dispatched, rejected or dropped. */
  readonly accepted?: StateAction;
}

/** Applies the unanswered actions of a client to the summaries of sessions, as mirrors apply them to states [REC-1]. */
export class PredictedSummaries {
  readonly #pending = new Map<URI, Map<number, StateAction>>();
  readonly #onChange: Listeners<SessionActionChange>;

  constructor(report: ReportError) {
    this.#onChange = new Listeners(report, 'prediction of a session');
  }

  /** Call it when an action is dispatched. */
  dispatched(session: URI, clientSeq: number, action: StateAction): void {
    if (!changesSummary(action)) return;
    const pending = this.#pending.get(session) ?? new Map<number, StateAction>();
    this.#pending.set(session, pending.set(clientSeq, action));
    this.#onChange.emit({ session });
  }

  /** Call it when an action has its outcome. */
  settled(session: URI, clientSeq: number, { outcome }: DispatchOutcome): void {
    const pending = this.#pending.get(session);
    const action = pending?.get(clientSeq);
    if (pending === undefined || action === undefined) return;
    pending.delete(clientSeq);
    if (pending.size === 0) this.#pending.delete(session);
    this.#onChange.emit(outcome === 'accepted' ? { session, accepted: action } : { session });
  }

  /** The summary with the unanswered actions applied, in the order dispatched; the same object when there are none. */
  predict(summary: SessionSummary): SessionSummary {
    let predicted = summary;
    for (const action of this.#pending.get(summary.resource)?.values() ?? [])
      predicted = { ...predicted, ...summaryChanges(predicted, action) };
    return predicted;
  }

  /** Calls `listener` when the prediction for a session changed. Returns a function that removes it. */
  onChange(listener: (change: SessionActionChange) => void): () => void {
    return this.#onChange.add(listener);
  }
}

/** The changes that an action makes in the summary of its session, as the session's reducer does. */
export function summaryChanges({ status }: SessionSummary, action: StateAction): SessionSummaryChanges {
  switch (action.type) {
    case 'session/titleChanged':
      return { title: action.title };
    case 'session/isReadChanged':
      return { status: withFlag(status, SessionStatus.IsRead, action.isRead) };
    case 'session/isArchivedChanged':
      return { status: withFlag(status, SessionStatus.IsArchived, action.isArchived) };
    default:
      return {};
  }
}

/** A title with `x-chat` is that of a chat [SESS-11]. */
function changesSummary(action: StateAction): boolean {
  if (action.type === 'session/titleChanged') return action['x-chat'] === undefined;
  return action.type === 'session/isReadChanged' || action.type === 'session/isArchivedChanged';
}
