import type { URI } from '../wire/basics.ts';
import type { AutomationRunLifecycle } from './state.ts';

/** Every action of the channel of a run. */
export type AutomationRunAction =
  | AutomationRunCancelRequestedAction
  | AutomationRunLifecycleChangedAction
  | AutomationRunPrimarySessionChangedAction
  | AutomationRunSessionRemovedAction
  | AutomationRunSessionSetAction;

/** Asks to cancel the run. Changes nothing; the host answers with a new lifecycle [RUN-3]. */
export interface AutomationRunCancelRequestedAction {
  type: 'automationRun/cancelRequested';
}

/** Replaces the lifecycle [RUN-3]. */
export interface AutomationRunLifecycleChangedAction {
  type: 'automationRun/lifecycleChanged';
  lifecycle: AutomationRunLifecycle;
}

/** Adds a session unless it is in the list [RUN-3]. */
export interface AutomationRunSessionSetAction {
  type: 'automationRun/sessionSet';
  session: URI;
}

/** Removes a session, also as the primary one. An unknown session changes nothing [RUN-3]. */
export interface AutomationRunSessionRemovedAction {
  type: 'automationRun/sessionRemoved';
  session: URI;
}

/** Changes the session that shows the result [RUN-3]. */
export interface AutomationRunPrimarySessionChangedAction {
  type: 'automationRun/primarySessionChanged';
  /** Absent: none. */
  primarySession?: URI;
}
