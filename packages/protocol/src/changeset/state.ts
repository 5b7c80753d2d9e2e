import type { FileEdit } from '../chat/tool-call.ts';
import type { ErrorInfo, StringOrMarkdown, WithMeta } from '../wire/basics.ts';

/** Entry of a session's catalogue of changesets [CS-1]. */
export interface Changeset {
  label: string;
  /** RFC 6570; may ask for `{turnId}`, or for `{originalTurnId}` and `{modifiedTurnId}`. Expanded, it is a channel. */
  uriTemplate: string;
  description?: string;
  /** A hint for display: `session`, `uncommitted`, `branch`, `turn`, `compare-turns`, or something newer. */
  changeKind: string;
}

/** `computing` until the files are known, then `ready`, or `error`. */
export type ChangesetStatus = 'computing' | 'ready' | 'error';

/** A set of changed files. */
export interface ChangesetState {
  status: ChangesetStatus;
  /** Only with status `error` [CS-2]. */
  error?: ErrorInfo;
  files: ChangesetFile[];
  /** Absent: nothing can be done with it. */
  operations?: ChangesetOperation[];
}

/** One changed file. */
export interface ChangesetFile extends WithMeta {
  /** Unique in its changeset; mostly the URI after the change, or before it for a deleted file. */
  id: string;
  edit: FileEdit;
  /** Absent: the host does not keep track. */
  reviewed?: boolean;
}

/** What an operation can be called on. */
export type ChangesetOperationScope = 'changeset' | 'resource' | 'range';

/** `error` is about the last run; `disabled` cannot be called. */
export type ChangesetOperationStatus = 'idle' | 'running' | 'error' | 'disabled';

/** Something that can be done with a changeset, by `invokeChangesetOperation` [CS-4]. */
export interface ChangesetOperation {
  /** Unique in its changeset. */
  id: string;
  label: string;
  description?: string;
  scopes: ChangesetOperationScope[];
  /** To be asked before calling; its presence marks what cannot be undone. */
  confirmation?: StringOrMarkdown;
  /** A common icon name, as `trash`. */
  icon?: string;
  /** Operations of one group stand together. */
  group?: string;
  status: ChangesetOperationStatus;
  /** Only with status `error` [CS-2]. */
  error?: ErrorInfo;
}
