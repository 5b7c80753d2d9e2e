import type { ErrorInfo } from '../common/types.ts';
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

export interface ChangesetClearedAction {
  type: 'changeset/cleared';
}

export interface ChangesetContentChangedAction {
  type: 'changeset/contentChanged';
  files: ChangesetFile[];
  operations?: ChangesetOperation[];
  error?: ErrorInfo;
}

export interface ChangesetFileRemovedAction {
  type: 'changeset/fileRemoved';
  fileId: string;
}

export interface ChangesetFileSetAction {
  type: 'changeset/fileSet';
  file: ChangesetFile;
}

export interface ChangesetFilesReviewedChangedAction {
  type: 'changeset/filesReviewedChanged';
  fileIds: string[];
  reviewed: boolean;
}

export interface ChangesetOperationStatusChangedAction {
  type: 'changeset/operationStatusChanged';
  operationId: string;
  status: ChangesetOperationStatus;
  error?: ErrorInfo;
}

export interface ChangesetOperationsChangedAction {
  type: 'changeset/operationsChanged';
  operations?: ChangesetOperation[];
}

export interface ChangesetStatusChangedAction {
  type: 'changeset/statusChanged';
  status: ChangesetStatus;
  error?: ErrorInfo;
}
