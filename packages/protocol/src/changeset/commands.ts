import type { BaseParams, ContentRef, StringOrMarkdown, TextRange, URI } from '../wire/basics.ts';

/** A file of a changeset that an operation acts on. */
export interface ChangesetFileTarget {
  resource: URI;
  /** The version that is meant. Absent: the one after the change. */
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

/** The target of an operation; its `kind` must be among the operation's scopes [CS-4]. */
export type ChangesetOperationTarget = ChangesetResourceTarget | ChangesetRangeTarget;

/** `invokeChangesetOperation`: `channel` is the changeset [CS-4]. The state shows the progress. */
export interface InvokeChangesetOperationParams extends BaseParams {
  operationId: string;
  /** Absent: the whole changeset. */
  target?: ChangesetOperationTarget;
  /** Extension: values for the operation's `x-inputs`, by name. Absent: the defaults. */
  'x-input'?: Record<string, string | boolean>;
}

/** The operation has started. The state shows a later failure. */
export interface InvokeChangesetOperationResult {
  /** Text for the person who invoked it. */
  message?: StringOrMarkdown;
  followUp?: ChangesetOperationFollowUp;
}

/** Content to open afterwards. */
export interface ChangesetOperationFollowUp {
  content: ContentRef;
  /** True: open it outside the client, for example in a browser. Absent: show it in place. */
  external?: boolean;
}
