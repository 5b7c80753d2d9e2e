import type { AhpClient } from '@agenthost/client';
import { expect, test } from 'vitest';
import { checkRunningHost } from './host.ts';

test('a host that refuses changes is a fault', async () => {
  const facts = { node: 'v24', pid: 1, now: 1, lastTime: 1, clockMovedMs: 0 };
  const found = { ...facts, dataDir: '/data', refusesChanges: 'its disk fails', unchecked: 'its disk fails' };
  // oxlint-disable-next-line typescript/consistent-type-assertions -- all that the check uses
  const client = { request: async () => found, agentHealth: async () => [] } as unknown as AhpClient;
  expect(await checkRunningHost(client, false)).toMatchObject([
    {
      check: 'changes',
      state: 'fault',
      detail: 'the host cannot save changes, and refuses them: its disk fails',
    },
    { check: 'database', state: 'warning', detail: 'not checked: its disk fails' },
    { check: 'clock' },
    { check: 'agents' },
  ]);
});
