import type { AnnotationsSummary } from '../annotations/state.ts';
import type { URI } from '../common/types.ts';
import type { ChangesSummary, ProjectInfo, SessionSummary } from '../session/state.ts';
import type { SessionStatus } from '../session/status.ts';

export interface ProgressParams {
  channel: URI;
  progressToken: string;
  progress: number;
  total?: number;
  message?: string;
}

export interface SessionAddedParams {
  channel: URI;
  summary: SessionSummary;
}

export interface SessionRemovedParams {
  channel: URI;
  session: URI;
}

export interface SessionSummaryChangedParams {
  channel: URI;
  session: URI;
  changes: {
    provider?: string;
    title?: string;
    status?: SessionStatus;
    activity?: string;
    project?: ProjectInfo;
    workingDirectory?: URI;
    annotations?: AnnotationsSummary;
    resource?: URI;
    createdAt?: string;
    modifiedAt?: string;
    changes?: ChangesSummary;
    _meta?: Record<string, unknown>;
  };
}
