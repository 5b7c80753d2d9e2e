import type { ErrorInfo } from '../wire/basics.ts';
import type {
  ChangesetFile,
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
  | ChangesetFilesReviewedChangedAction
  | ChangesetOperationStatusChangedAction
  | ChangesetOperationsChangedAction
  | ChangesetStatusChangedAction;

/** Drops all files: to be computed anew, or because the session goes [SESS-3]. */
export interface ChangesetClearedAction {
  type: 'changeset/cleared';
}

/** Replaces the files; operations only when given; the error, which absence clears [CS-2]. */
export interface ChangesetContentChangedAction {
  type: 'changeset/contentChanged';
  files: ChangesetFile[];
  operations?: ChangesetOperation[];
  error?: ErrorInfo;
}

/** Removes one file; unknown: no change. */
export interface ChangesetFileRemovedAction {
  type: 'changeset/fileRemoved';
  fileId: string;
}

/** Adds a file, or replaces the one with its id where it stands [CS-2]. */
export interface ChangesetFileSetAction {
  type: 'changeset/fileSet';
  file: ChangesetFile;
}

/** Marks known files as reviewed or not [CS-2]. */
export interface ChangesetFilesReviewedChangedAction {
  type: 'changeset/filesReviewedChanged';
  fileIds: string[];
  reviewed: boolean;
}

/** An operation starts, ends or fails; unknown: no change [CS-2]. */
export interface ChangesetOperationStatusChangedAction {
  type: 'changeset/operationStatusChanged';
  operationId: string;
  status: ChangesetOperationStatus;
  /** Kept only with status `error`. */
  error?: ErrorInfo;
}

/** Replaces the operations; absent: there are none any more [CS-2]. */
export interface ChangesetOperationsChangedAction {
  type: 'changeset/operationsChanged';
  operations?: ChangesetOperation[];
}

/** Where the computation stands. */
export interface ChangesetStatusChangedAction {
  type: 'changeset/statusChanged';
  status: ChangesetStatus;
  /** Kept only with status `error` [CS-2]. */
  error?: ErrorInfo;
}
