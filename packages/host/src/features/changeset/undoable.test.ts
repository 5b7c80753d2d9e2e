import { expect, test } from 'vitest';
import type { ChangeRecord } from '../../workspace/snapshots/records.ts';
import { undoable } from './undoable.ts';

const record = (kind: ChangeRecord['kind'], names: string, isPartial?: true) => ({
  kind,
  changes: Array.from(names, (path) => ({ path })),
  ...(isPartial && { isPartial }),
});
const left = (...records: ReturnType<typeof record>[]): string =>
  undoable(records)
    .map(({ path }) => path)
    .join('');

test('the last revert can be undone once', () => {
  expect(left()).toBe('');
  expect(left(record('revert', 'abc'))).toBe('abc');
  expect(left(record('revert', 'abc'), record('undo', 'abc'))).toBe('');
  expect(left(record('revert', 'abc'), record('undo', 'abc'), record('revert', 'd'))).toBe('d');
});

test('the rest of an interrupted undo can be undone', () => {
  const revert = record('revert', 'abc');
  expect(left(revert, record('undo', 'b', true))).toBe('ac');
  expect(left(revert, record('undo', 'b', true), record('undo', 'a', true))).toBe('c');
  expect(left(revert, record('undo', 'b', true), record('undo', 'ac'))).toBe('');
  // Of an interrupted revert, what it has written.
  expect(left(record('revert', 'ab', true))).toBe('ab');
  // A complete undo may leave out a file that somebody has brought back by hand.
  expect(left(revert, record('undo', 'ab'))).toBe('');
});
