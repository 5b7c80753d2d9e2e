import type { StateAction } from '../wire/envelope.ts';
import { indexOfId, patch, withItem, withoutItem } from '../wire/patch.ts';
import type {
  ChangesetAction,
  ChangesetFilesReviewChangedAction,
  ChangesetOperationStatusChangedAction,
} from './actions.ts';
import type { ChangesetState } from './state.ts';

/** Reduces one action of a changeset channel [CS-2]. Returns `state` itself when nothing changes. */
export function changesetReducer(state: ChangesetState, action: StateAction): ChangesetState {
  switch (action.type) {
    case 'changeset/statusChanged':
      return patch(state, {
        status: action.status,
        error: action.status === 'error' ? action.error : undefined,
      });
    case 'changeset/fileSet': {
      const index = indexOfId(state.files, action.file.id);
      return patch(state, { files: withItem(state.files, index, action.file) });
    }
    case 'changeset/fileRemoved': {
      const index = indexOfId(state.files, action.fileId);
      return index < 0 ? state : patch(state, { files: withoutItem(state.files, index) });
    }
    case 'changeset/filesReviewChanged':
      return markReviewed(state, action);
    case 'changeset/contentChanged':
      return patch(state, {
        files: action.files,
        operations: action.operations ?? state.operations,
        'x-leftOut': action['x-leftOut'],
      });
    case 'changeset/operationsChanged':
      return patch(state, { operations: action.operations });
    case 'changeset/operationStatusChanged':
      return setOperationStatus(state, action);
    case 'changeset/cleared':
      return patch(state, { files: [], 'x-leftOut': undefined });
    default:
      action satisfies Exclude<StateAction, ChangesetAction>;
      return state;
  }
}

function markReviewed(
  state: ChangesetState,
  { files: ids, reviewed }: ChangesetFilesReviewChangedAction,
): ChangesetState {
  const listed = new Set(ids);
  const files = state.files.slice();
  for (const [index, file] of files.entries()) {
    if (listed.has(file.id)) files[index] = patch(file, { reviewed });
  }
  return patch(state, { files });
}

function setOperationStatus(
  state: ChangesetState,
  { operationId, status, error }: ChangesetOperationStatusChangedAction,
): ChangesetState {
  const operations = state.operations ?? [];
  const index = indexOfId(operations, operationId);
  const operation = operations[index];
  if (!operation) return state;
  const changed = patch(operation, { status, error: status === 'error' ? error : undefined });
  return patch(state, { operations: withItem(operations, index, changed) });
}
