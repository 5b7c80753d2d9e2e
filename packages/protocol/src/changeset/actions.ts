import type { ErrorInfo } from '../wire/basics.ts';
import type {
  ChangesetFile,
  ChangesetLeftOut,
  ChangesetOperation,
  ChangesetOperationStatus,
  ChangesetStatus,
} from './state.ts';

/** Every action of a changeset channel. */
export type ChangesetAction =
  | ChangesetClearedAction
  | ChangesetContentChangedAction
  | ChangesetFileRemovedAction
  | ChangesetFileSetAction
  | ChangesetFilesReviewChangedAction
  | ChangesetOperationStatusChangedAction
  | ChangesetOperationsChangedAction
  | ChangesetStatusChangedAction;

/** Removes all files: they are computed again, or the session ends [SESS-3]. */
export interface ChangesetClearedAction {
  type: 'changeset/cleared';
}

/** Replaces the files, and the operations when given. Status and error stay [CS-21]. */
export interface ChangesetContentChangedAction {
  type: 'changeset/contentChanged';
  files: ChangesetFile[];
  operations?: ChangesetOperation[];
  /** Extension: what `files` leaves out. Absent: nothing is left out. */
  'x-leftOut'?: ChangesetLeftOut;
}

/** Removes one file. An unknown id changes nothing. */
export interface ChangesetFileRemovedAction {
  type: 'changeset/fileRemoved';
  fileId: string;
}

/** Adds a file, or replaces the file with the same id in its place [CS-2]. */
export interface ChangesetFileSetAction {
  type: 'changeset/fileSet';
  file: ChangesetFile;
}

/** Marks known files as reviewed or not reviewed [CS-22]. */
export interface ChangesetFilesReviewChangedAction {
  type: 'changeset/filesReviewChanged';
  /** Ids of files. */
  files: string[];
  reviewed: boolean;
}

/** Changes the status of an operation. An unknown id changes nothing [CS-2]. */
export interface ChangesetOperationStatusChangedAction {
  type: 'changeset/operationStatusChanged';
  operationId: string;
  status: ChangesetOperationStatus;
  /** Kept only with status `error`. */
  error?: ErrorInfo;
}

/** Replaces the operations. Absent: none are left [CS-2]. */
export interface ChangesetOperationsChangedAction {
  type: 'changeset/operationsChanged';
  operations?: ChangesetOperation[];
}

/** Changes the status of the computation. */
export interface ChangesetStatusChangedAction {
  type: 'changeset/statusChanged';
  status: ChangesetStatus;
  /** Kept only with status `error` [CS-2]. */
  error?: ErrorInfo;
}
