import type { SessionActiveClient, ToolDefinition } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { checkActiveClient } from './active-clients.ts';

const nothing = (): void => undefined;

test('among many active clients only the one that changes its tools is measured', () => {
  let lookCount = 0;
  const present = Array.from({ length: 15 }, (_, index): SessionActiveClient => {
    const tools: ToolDefinition[] = [{ name: 'look', description: 'x'.repeat(200_000) }];
    return {
      clientId: `other-${index}`,
      get tools() {
        lookCount += 1;
        return tools;
      },
    };
  });
  const caller = {
    clientId: 'me',
    tokenHash: 'hash',
    scope: 'interact' as const,
    isAdmin: false,
    locale: 'en',
    sink: { envelope: nothing, frame: nothing, notification: nothing },
  };
  const join = (length: number): string | undefined =>
    checkActiveClient(
      {
        type: 'session/activeClientSet',
        activeClient: { clientId: 'me', tools: [{ name: 'look', description: 'x'.repeat(length) }] },
      },
      present,
      caller,
    )?.code;
  expect(join(1)).toBeUndefined();
  lookCount = 0;
  for (let count = 0; count < 10; count += 1) expect(join(200_000)).toBeUndefined();
  expect(lookCount).toBe(0);
});
