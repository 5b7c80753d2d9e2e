import type { SessionSummary } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { isInWorktree } from './in-worktree.ts';

const summaryIn = (folder: string | undefined, project?: string): SessionSummary => ({
  resource: 'ahp-session:/one',
  provider: 'demo',
  title: '',
  status: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
  modifiedAt: '2026-01-01T00:00:00.000Z',
  ...(folder === undefined ? {} : { workingDirectories: [folder] }),
  ...(project === undefined ? {} : { project: { uri: project, displayName: 'shop' } }),
});

test('a session is in a worktree if its folder is outside of the checkout of its project', () => {
  expect(isInWorktree(summaryIn('file:///data/worktrees/1/shop', 'file:///code/shop'))).toBe(true);
  expect(isInWorktree(summaryIn('file:///code/shop2', 'file:///code/shop'))).toBe(true);
  expect(isInWorktree(summaryIn('file:///code/shop', 'file:///code/shop'))).toBe(false);
  expect(isInWorktree(summaryIn('file:///code/shop/packages/a', 'file:///code/shop/'))).toBe(false);
  expect(isInWorktree(summaryIn('file:///code/shop'))).toBe(false);
  expect(isInWorktree(summaryIn(undefined, 'file:///code/shop'))).toBe(false);
});
