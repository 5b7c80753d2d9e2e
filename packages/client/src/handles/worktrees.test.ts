import { beforeEach, expect, test } from 'vitest';
import { Harness } from '../../test/harness.ts';

const root = { channel: 'ahp-root://' };
const SESSION = 'ahp-session:/one';
let it: Harness;
let asked: [string, unknown][];

beforeEach(async () => {
  it = await new Harness().online();
  asked = [];
  const results = {
    'x-listWorktrees': { items: [] },
    'x-createWorktree': { worktree: {}, directory: 'file:///w' },
    'x-mergeWorktree': { message: 'merged' },
    'x-openWorktree': { message: 'opened' },
    'x-removeWorktree': { message: 'removed' },
  };
  for (const [method, result] of Object.entries(results))
    it.host.answers.set(method, (params) => {
      asked.push([method, params]);
      return result;
    });
});

test('worktrees are listed, made, merged, opened and removed', async () => {
  const { worktrees } = it.client.sessions;
  expect(await it.run(worktrees.list())).toEqual([]);
  expect(await it.run(worktrees.create(SESSION))).toMatchObject({ directory: 'file:///w' });
  await it.run(worktrees.create(SESSION, { chat: 'ahp-chat:/c', base: 'main' }));
  expect(await it.run(worktrees.merge('w'))).toBe('merged');
  expect(await it.run(worktrees.open('w'))).toBe('opened');
  expect(await it.run(worktrees.remove('w'))).toBe('removed');
  await it.run(worktrees.remove('w', { discard: true }));
  expect(asked).toEqual([
    ['x-listWorktrees', root],
    ['x-createWorktree', { channel: SESSION }],
    ['x-createWorktree', { channel: SESSION, chat: 'ahp-chat:/c', base: 'main' }],
    ['x-mergeWorktree', { ...root, id: 'w' }],
    ['x-openWorktree', { ...root, id: 'w' }],
    ['x-removeWorktree', { ...root, id: 'w' }],
    ['x-removeWorktree', { ...root, id: 'w', discard: true }],
  ]);
});
