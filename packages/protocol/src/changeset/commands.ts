import type { ContentRef, StringOrMarkdown, TextRange, URI } from '../common/types.ts';

export interface ChangesetOperationFollowUp {
  content: ContentRef;
  external?: boolean;
}

/** What part of a changeset an operation acts on. Absent from a request, it acts on the whole [CS-4]. */
export type ChangesetOperationTarget = ChangesetResourceTarget | ChangesetRangeTarget;

/** One file of a changeset. */
export interface ChangesetResourceTarget {
  kind: 'resource';
  resource: URI;
  /** Which version the resource names. Absent: the changed one. */
  side?: 'before' | 'after';
}

/** Some lines of one file of a changeset. */
export interface ChangesetRangeTarget {
  kind: 'range';
  resource: URI;
  /** Which version `range` counts lines in. Absent: the changed one. */
  side?: 'before' | 'after';
  range: TextRange;
}

export interface InvokeChangesetOperationParams {
  channel: URI;
  operationId: string;
  target?: ChangesetOperationTarget;
}

export interface InvokeChangesetOperationResult {
  message?: StringOrMarkdown;
  followUp?: ChangesetOperationFollowUp;
}
