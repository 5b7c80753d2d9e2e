import type { SessionConfigSchema } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { ROOT, startHost } from '../../../test/host-fixture.ts';

const schema: SessionConfigSchema = {
  type: 'object',
  properties: {
    branch: {
      type: 'string',
      title: 'Branch',
      enum: ['main', 'topic'],
      enumLabels: ['The Trunk', 'A topic'],
      enumDescriptions: ['Everything', ''],
      enumDynamic: true,
    },
    fixed: { type: 'string', title: 'Fixed', enum: ['a'] },
  },
};

async function setUp() {
  const host = await startHost();
  host.agent.resolveConfig = async () => ({ schema, values: {} });
  const client = await host.client();
  const complete = (property: string, query?: string, config?: Record<string, unknown>) =>
    client.request('sessionConfigCompletions', {
      channel: ROOT,
      property,
      ...(query === undefined ? {} : { query }),
      ...(config === undefined ? {} : { config }),
    });
  return { host, client, complete };
}

test('[ROOT-4] without completions of the agent, the listed values that match by value or label are offered', async () => {
  const { complete } = await setUp();
  const main = { value: 'main', label: 'The Trunk', description: 'Everything' };
  expect(await complete('branch')).toEqual({ items: [main, { value: 'topic', label: 'A topic' }] });
  expect(await complete('branch', 'trunk')).toEqual({ items: [main] });
  expect(await complete('branch', 'MAI')).toEqual({ items: [main] });
  expect(await complete('branch', 'none')).toEqual({ items: [] });
});

test('[ROOT-4] the agent gets the typed text and the chosen values, and returns at most a hundred', async () => {
  const { host, complete } = await setUp();
  const asked: unknown[] = [];
  host.agent.completeConfig = async (input) => {
    asked.push(input);
    return Array.from({ length: 120 }, (_, i) => ({ value: `b${i}`, label: `B${i}` }));
  };
  const { items } = await complete('branch', 'b', { fixed: 'a', approvals: 'all' });
  expect(items).toHaveLength(100);
  expect(items[0]).toEqual({ value: 'b0', label: 'B0' });
  expect(asked).toEqual([
    { property: 'branch', query: 'b', workingDirectory: process.cwd(), values: { fixed: 'a' } },
  ]);
});

test.each(['fixed', 'approvals', 'nothing', 'toString'])(
  '[ROOT-4] a property without dynamic choices is refused: %s',
  async (property) => {
    const { complete } = await setUp();
    await expect(complete(property)).rejects.toMatchObject({ code: -32602 });
  },
);

test('[ROOT-4] an unknown agent and a missing folder are refused as at a creation', async () => {
  const { client } = await setUp();
  const ask = (params: object) =>
    client.raw('sessionConfigCompletions', { channel: ROOT, property: 'branch', ...params });
  await expect(ask({ provider: 'none' })).rejects.toMatchObject({ code: -32002 });
  await expect(ask({ workingDirectory: 'file:///not/there' })).rejects.toMatchObject({ code: -32008 });
  await expect(client.raw('resolveSessionConfig', { channel: ROOT, provider: 'none' })).rejects.toMatchObject(
    {
      code: -32002,
    },
  );
});

test('[ROOT-4] an unlisted value may be chosen if the choices are dynamic', async () => {
  const { client } = await setUp();
  await client.request('createSession', { channel: 'ahp-session:/x', config: { branch: 'other' } });
  const refused = client.request('createSession', { channel: 'ahp-session:/y', config: { fixed: 'b' } });
  await expect(refused).rejects.toMatchObject({ code: -32602 });
});
