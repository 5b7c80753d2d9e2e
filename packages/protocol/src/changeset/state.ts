import type { FileEdit } from '../chat/tool-call.ts';
import type { ErrorInfo, StringOrMarkdown, URI, WithMeta } from '../wire/basics.ts';

/** Entry of a session's catalogue of changesets [CS-1]. */
export interface Changeset {
  label: string;
  /**
   * RFC 6570; may use `{turnId}`, or `{originalTurnId}` and `{modifiedTurnId}`. The expanded URI is a
   * channel.
   */
  uriTemplate: string;
  description?: string;
  /** Display hint: `session`, `uncommitted`, `branch`, `turn`, `compare-turns`, or a newer value. */
  changeKind: string;
  /** Absent: none. */
  capabilities?: ChangesetCapabilities;
}

/** Optional abilities of a changeset. */
export interface ChangesetCapabilities {
  /** Clients may mark its files as reviewed [CS-22]. */
  review?: Record<string, unknown>;
}

/** `computing` until the files are known, then `ready`, or `error`; `recomputing` while files that are shown are refreshed [CS-20]. */
export type ChangesetStatus = 'computing' | 'ready' | 'error' | 'recomputing';

/** A set of changed files. */
export interface ChangesetState {
  status: ChangesetStatus;
  /** Only with status `error` [CS-2]. */
  error?: ErrorInfo;
  files: ChangesetFile[];
  /** Absent: no operation is available. */
  operations?: ChangesetOperation[];
  /** Extension: files that may have changed and are not among `files`, because the host does not record them. Absent: none. */
  'x-leftOut'?: ChangesetLeftOut;
}

/** Extension: files that a changeset leaves out. */
export interface ChangesetLeftOut {
  /** The number of all of them: at least the length of `files`. */
  count: number;
  /** The first of them, at most 50. */
  files: ChangesetLeftOutFile[];
}

/** Extension: a file, or a folder, that a changeset leaves out. */
export interface ChangesetLeftOutFile {
  uri: URI;
  /**
   * `large`: the file is larger than what the host records. `repository`: a folder with a repository of its own. `ignored`: a tool call has
   * changed the file, and git ignores it. `unreadable`: the host may not read it. `name`: its name is no UTF-8, so that `uri` is not exact. Or a
   * newer value.
   */
  reason: string;
}

/** One changed file. */
export interface ChangesetFile extends WithMeta {
  /** Unique in its changeset; usually the URI after the change, or before it for a deleted file. */
  id: string;
  edit: FileEdit;
  /** Absent: the host does not track reviews. */
  reviewed?: boolean;
}

/** The kinds of target of an operation. */
export type ChangesetOperationScope = 'changeset' | 'resource' | 'range';

/** `error` is the result of the last run; a `disabled` operation cannot be invoked. */
export type ChangesetOperationStatus = 'idle' | 'running' | 'error' | 'disabled';

/** An operation on a changeset, invoked by `invokeChangesetOperation` [CS-4]. */
export interface ChangesetOperation {
  /** Unique in its changeset. */
  id: string;
  label: string;
  description?: string;
  scopes: ChangesetOperationScope[];
  /** Question to ask before invoking. Set for operations that cannot be undone. */
  confirmation?: StringOrMarkdown;
  /** A common icon name, such as `trash`. */
  icon?: string;
  /** Operations of one group are shown together. */
  group?: string;
  status: ChangesetOperationStatus;
  /** Only with status `error` [CS-2]. */
  error?: ErrorInfo;
  /** Extension: values that the operation takes in `x-input`, such as a commit message. Absent: none. */
  'x-inputs'?: ChangesetOperationInput[];
}

/** Extension: a value that an operation takes. */
export interface ChangesetOperationInput {
  /** Key in `x-input`. */
  name: string;
  label: string;
  type: 'string' | 'boolean';
  /** Without this value the operation is refused. */
  isRequired?: boolean;
  /** Used when the value is absent; for a commit the proposed message. */
  default?: string | boolean;
  /** Allows several lines. Absent: one line. */
  isLong?: boolean;
}

/** Size of the changes of a session or of a chat. An absent count is unknown. */
export interface ChangesSummary {
  /** Lines. */
  additions?: number;
  /** Lines. */
  deletions?: number;
  files?: number;
}
