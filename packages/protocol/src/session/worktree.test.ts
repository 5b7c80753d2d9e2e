import { expect, test } from 'vitest';
import { sessionWorktree } from './worktree.ts';

const WORKTREE = { id: 'w', uri: 'file:///w', state: 'ready', base: 'main', baseCommit: 'c' } as const;

test('the worktree of a session is read from its metadata, and values of a wrong type are left out', () => {
  expect(sessionWorktree({})).toBeUndefined();
  expect(sessionWorktree({ _meta: { worktree: 'w' } })).toBeUndefined();
  expect(sessionWorktree({ _meta: { worktree: { ...WORKTREE, uri: 1 } } })).toBeUndefined();
  expect(sessionWorktree({ _meta: { worktree: { ...WORKTREE, state: 'new', other: 1 } } })).toEqual(WORKTREE);
  const more = {
    ...WORKTREE,
    state: 'missing',
    branch: 'b',
    note: 'n',
    ahead: 1,
    behind: 0,
    uncommittedChanges: 2,
  };
  expect(sessionWorktree({ _meta: { worktree: more } })).toEqual(more);
  expect(sessionWorktree({ _meta: { worktree: { ...more, ahead: -1, behind: 'x', branch: 2 } } })).toEqual({
    ...WORKTREE,
    state: 'missing',
    note: 'n',
    uncommittedChanges: 2,
  });
});
