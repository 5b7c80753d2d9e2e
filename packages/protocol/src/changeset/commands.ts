import type { BaseParams, ContentRef, StringOrMarkdown, TextRange, URI } from '../wire/basics.ts';

/** A file of a changeset that an operation acts on. */
export interface ChangesetFileTarget {
  resource: URI;
  /** Which of its two versions is meant. Absent: the one after the change. */
  side?: 'before' | 'after';
}

/** A whole file. */
export interface ChangesetResourceTarget extends ChangesetFileTarget {
  kind: 'resource';
}

/** Part of a file. */
export interface ChangesetRangeTarget extends ChangesetFileTarget {
  kind: 'range';
  range: TextRange;
}

/** What an operation acts on; `kind` has to be among its scopes [CS-4]. */
export type ChangesetOperationTarget = ChangesetResourceTarget | ChangesetRangeTarget;

/** `invokeChangesetOperation`: `channel` is the changeset [CS-4]. Progress shows in its state. */
export interface InvokeChangesetOperationParams extends BaseParams {
  operationId: string;
  /** Absent: the whole changeset. */
  target?: ChangesetOperationTarget;
}

/** The operation was taken up; that it failed later shows in state. */
export interface InvokeChangesetOperationResult {
  /** For the person who called it. */
  message?: StringOrMarkdown;
  followUp?: ChangesetOperationFollowUp;
}

/** Something to look at afterwards. */
export interface ChangesetOperationFollowUp {
  content: ContentRef;
  /** True: opened outside the client, in a browser for instance. Absent: shown in place. */
  external?: boolean;
}
