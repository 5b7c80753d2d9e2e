import type { RememberedApproval } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import { groupApprovals } from './group-approvals.ts';

const approval = (id: string, createdAt: string, scope: RememberedApproval['scope']): RememberedApproval => ({
  id,
  provider: 'demo',
  toolName: 'run',
  kind: 'execute',
  scope,
  covers: { kind: 'tool' },
  label: 'Always',
  createdAt,
});

it('groups by place, folders first, the latest approval first', () => {
  const folder = { kind: 'folder', folder: 'file:///a' } as const;
  const session = { kind: 'session', session: 'ahp-session:/1' } as const;
  const groups = groupApprovals([
    approval('1', '2026-01-01T00:00:00Z', folder),
    approval('2', '2026-01-03T00:00:00Z', session),
    approval('3', '2026-01-02T00:00:00Z', folder),
  ]);
  expect(groups.map(({ kind, uri, approvals }) => [kind, uri, approvals.map(({ id }) => id)])).toEqual([
    ['folder', 'file:///a', ['3', '1']],
    ['session', 'ahp-session:/1', ['2']],
  ]);
});
