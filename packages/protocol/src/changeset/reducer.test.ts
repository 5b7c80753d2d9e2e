import { describe, expect, it } from 'vitest';
import type { StateAction } from '../wire/envelope.ts';
import { changesetReducer } from './reducer.ts';
import type { ChangesetFile, ChangesetOperation, ChangesetState } from './state.ts';

const error = { errorType: 'git', message: 'locked' };
const a: ChangesetFile = { id: 'a', edit: { diff: { added: 1 } } };
const b: ChangesetFile = { id: 'b', edit: {}, reviewed: true };
const commit: ChangesetOperation = { id: 'commit', label: 'Commit', scopes: ['changeset'], status: 'idle' };
const state: ChangesetState = { status: 'ready', files: [a, b], operations: [commit] };

function reduce(from: ChangesetState, ...actions: StateAction[]): ChangesetState {
  return actions.reduce((next, action) => changesetReducer(next, action), from);
}

describe('changesetReducer', () => {
  it('[CS-2] an error is kept with the status error and dropped with any other', () => {
    const failed = reduce(state, { type: 'changeset/statusChanged', status: 'error', error });
    expect(failed).toStrictEqual({ ...state, status: 'error', error });
    expect(reduce(failed, { type: 'changeset/statusChanged', status: 'computing', error })).toStrictEqual({
      ...state,
      status: 'computing',
    });
  });

  it('[CS-2] a file is replaced in place or appended, and removed by id', () => {
    const changed = { ...a, _meta: { k: 1 } };
    expect(reduce(state, { type: 'changeset/fileSet', file: changed }).files).toStrictEqual([changed, b]);
    expect(reduce(state, { type: 'changeset/fileSet', file: { id: 'c', edit: {} } }).files).toHaveLength(3);
    expect(reduce(state, { type: 'changeset/fileRemoved', fileId: 'a' }).files).toStrictEqual([b]);
    expect(reduce(state, { type: 'changeset/fileRemoved', fileId: 'z' })).toBe(state);
  });

  it('[CS-22] a review touches files that are listed, known and differ', () => {
    const reviewed = {
      type: 'changeset/filesReviewChanged',
      files: ['a', 'b', 'z'],
      reviewed: true,
    } as const;
    const next = reduce(state, { ...reviewed, files: [...reviewed.files] });
    expect(next.files).toStrictEqual([{ ...a, reviewed: true }, b]);
    expect(next.files[1]).toBe(b);
    expect(reduce(state, { ...reviewed, files: ['b', 'z'] })).toBe(state);
  });

  it('[CS-21] new content replaces the files, operations only when given, and leaves status and error', () => {
    const broken: ChangesetState = { ...state, status: 'error', error };
    expect(reduce(broken, { type: 'changeset/contentChanged', files: [b] })).toStrictEqual({
      ...broken,
      files: [b],
    });
    expect(reduce(broken, { type: 'changeset/contentChanged', files: [], operations: [] })).toStrictEqual({
      status: 'error',
      files: [],
      operations: [],
      error,
    });
  });

  it('[CS-21] new content says what it leaves out, and what was left out before is forgotten', () => {
    const leftOut = { count: 2, files: [{ uri: 'file:///w/film', reason: 'large' }] };
    const named = reduce(state, { type: 'changeset/contentChanged', files: [a], 'x-leftOut': leftOut });
    expect(named).toStrictEqual({ ...state, files: [a], 'x-leftOut': leftOut });
    expect(reduce(named, { type: 'changeset/contentChanged', files: [a] })).toStrictEqual({
      ...state,
      files: [a],
    });
    expect(reduce(named, { type: 'changeset/cleared' })).toStrictEqual({ ...state, files: [] });
  });

  it('[CS-20] files stay while they are computed again, and the error does not', () => {
    const failed = reduce(state, { type: 'changeset/statusChanged', status: 'error', error });
    expect(reduce(failed, { type: 'changeset/statusChanged', status: 'recomputing', error })).toStrictEqual({
      ...state,
      status: 'recomputing',
    });
  });

  it('[CS-2] operations are replaced, and cleared by absence', () => {
    const next = reduce(state, { type: 'changeset/operationsChanged', operations: [] });
    expect(next.operations).toStrictEqual([]);
    expect(reduce(next, { type: 'changeset/operationsChanged' })).not.toHaveProperty('operations');
  });

  it('[CS-2] an operation keeps an error with the status error only', () => {
    const change = { type: 'changeset/operationStatusChanged', operationId: 'commit', error } as const;
    const failed = reduce(state, { ...change, status: 'error' });
    expect(failed.operations).toStrictEqual([{ ...commit, status: 'error', error }]);
    expect(reduce(failed, { ...change, status: 'running' }).operations).toStrictEqual([
      { ...commit, status: 'running' },
    ]);
    expect(reduce(state, { ...change, operationId: 'push', status: 'error' })).toBe(state);
  });

  it('[CS-2] clearing drops the files and nothing else', () => {
    const cleared = reduce(state, { type: 'changeset/cleared' });
    expect(cleared).toStrictEqual({ ...state, files: [] });
    expect(reduce(cleared, { type: 'changeset/cleared' })).toBe(cleared);
  });
});
