import { expect, test } from 'vitest';
import { sessionGit } from './git.ts';

test('the git repository of a session is read from its metadata, without values of a wrong type', () => {
  const git = { branchName: 'main', incomingChanges: 2, outgoingChanges: -1, stashes: '3', other: {} };
  expect(sessionGit({ _meta: { git } })).toEqual({ branchName: 'main', incomingChanges: 2 });
});

test.each([undefined, {}, { git: null }, { git: 'main' }])('metadata %j names no repository', (_meta) => {
  expect(sessionGit(_meta === undefined ? {} : { _meta })).toBeUndefined();
});
