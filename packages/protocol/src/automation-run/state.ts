import type { UsageInfo } from '../chat/state.ts';
import type { ErrorInfo, URI, WithMeta } from '../wire/basics.ts';

/** Fields of both a run's state and its entry in the automation. */
export interface AutomationRunBase extends WithMeta {
  /** Its channel. */
  resource: URI;
  /** The automation's name. */
  automation: URI;
  origin: AutomationRunOrigin;
  lifecycle: AutomationRunLifecycle;
  /** The session that shows the result. Absent: none yet. */
  primarySession?: URI;
}

/** The state of one run of an automation [RUN-1]. */
export interface AutomationRunState extends AutomationRunBase {
  /** In the order in which they were added. */
  sessions: URI[];
}

/** A run in the list of its automation [RUN-1]. */
export interface AutomationRunSummary extends AutomationRunBase {
  sessionCount: number;
}

/** What started a run [RUN-1]. */
export type AutomationRunOrigin = AutomationManualRunOrigin | AutomationTriggeredRunOrigin;

/** Started by `runAutomation`. */
export interface AutomationManualRunOrigin {
  kind: 'manual';
}

/** Started by a trigger. */
export interface AutomationTriggeredRunOrigin {
  kind: 'trigger';
  triggerId: string;
  /** ISO 8601; the occurrence of the schedule. Absent: an event. */
  scheduledFor?: string;
  /** True: it makes up for missed occurrences [AUTO-6]. Absent: false. */
  catchUp?: boolean;
  /** Details of the event. */
  event?: Record<string, unknown>;
}

/** Progress of a run [RUN-2]. */
export type AutomationRunLifecycle =
  | AutomationPendingRunLifecycle
  | AutomationRunningRunLifecycle
  | AutomationCompletedRunLifecycle
  | AutomationFailedRunLifecycle
  | AutomationCancelledRunLifecycle;

/** All values of a lifecycle's `status`. */
export type AutomationRunStatus = AutomationRunLifecycle['status'];

/** Admitted, not started. */
export interface AutomationPendingRunLifecycle {
  status: 'pending';
  /** ISO 8601. */
  createdAt: string;
}

/** Started; also while its session waits for someone. */
export interface AutomationRunningRunLifecycle {
  status: 'running';
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  startedAt: string;
}

/** Ended as planned. */
export interface AutomationCompletedRunLifecycle {
  status: 'completed';
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  startedAt: string;
  /** ISO 8601. */
  completedAt: string;
  /** Tokens of all its turns. Absent: unknown. */
  usage?: UsageInfo;
}

/** Ended by an error. */
export interface AutomationFailedRunLifecycle {
  status: 'failed';
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. Absent: it never started. */
  startedAt?: string;
  /** ISO 8601. */
  completedAt: string;
  error: ErrorInfo;
}

/** Ended by a person or by the host. */
export interface AutomationCancelledRunLifecycle {
  status: 'cancelled';
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. Absent: it never started. */
  startedAt?: string;
  /** ISO 8601. */
  completedAt: string;
}
