import type { AuthRequiredParams } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { Harness } from '../../test/harness.ts';

test('[AUTH-21] a request for a token reaches the program with the whole description of its resource', async () => {
  const it = await new Harness().online();
  const heard: AuthRequiredParams[] = [];
  it.client.onNotification('auth/required', (params) => void heard.push(params));
  const wanted: AuthRequiredParams = {
    channel: 'ahp-root://',
    reason: 'expired',
    resource: {
      resource: 'https://tools.example',
      resource_name: 'Tools',
      authorization_servers: ['https://login.example'],
      scopes_supported: ['read'],
      required: false,
    },
  };
  it.host.notifyAll('auth/required', wanted);
  await it.settle();
  expect(heard).toEqual([wanted]);
});
