import type { AgentHealth } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { AgentError } from '../src/agents/errors.ts';
import type { AgentAvailability } from '../src/agents/provider.ts';
import { type HostFixture, ROOT, startHost } from './host-fixture.ts';
import { PuppetAgent } from './puppet-agent.ts';
import type { RawClient } from './raw-client.ts';

/** An agent whose availability the test sets. */
class Checked extends PuppetAgent {
  checks = 0;
  found: () => Promise<AgentAvailability> = async () => ({ available: true });

  override async availability(): Promise<{ available: boolean }> {
    this.checks += 1;
    return this.found();
  }
}

async function started(): Promise<{
  host: HostFixture;
  client: RawClient;
  agent: Checked;
  other: Checked;
  list: (refresh?: boolean) => Promise<AgentHealth[]>;
}> {
  const agent = new Checked('offered');
  const other = new Checked('other');
  const host = await startHost({ agents: [() => agent], otherAgents: [() => other] });
  const client = await host.client('eye', {}, { tokenHash: 'eye', scope: 'observe' });
  const list = async (refresh?: boolean) => {
    const params = { channel: ROOT, ...(refresh === undefined ? {} : { refresh }) } as const;
    return (await client.request('x-listAgents', params)).items;
  };
  return { host, client, agent, other, list };
}

test('x-listAgents lists offered and other agents, with faults and commands', async () => {
  const { agent, other, list } = await started();
  agent.found = async () => ({
    available: true,
    version: '1.2',
    signIn: 'offered login',
    source: '/secret/path',
  });
  agent.models = [{ id: 'm', provider: 'offered', name: 'M' }];
  other.found = async () => ({ available: false, reason: 'no command other', install: 'get other' });
  expect(await list()).toStrictEqual([
    {
      provider: 'offered',
      displayName: 'Puppet',
      description: 'Does what a test says',
      state: 'ready',
      version: '1.2',
      signInCommand: 'offered login',
      isDefault: true,
      isBuiltIn: false,
      models: 1,
    },
    {
      provider: 'other',
      displayName: 'Puppet',
      description: 'Does what a test says',
      state: 'missing',
      problem: 'no command other',
      installCommand: 'get other',
      isDefault: false,
      isBuiltIn: false,
    },
  ]);
});

test('x-listAgents says why an agent failed, and that another one came after the start of the host', async () => {
  const { agent, list } = await started();
  agent.found = async () => ({ available: true, failure: 'log in first', isBuiltIn: true });
  expect(await list()).toMatchObject([
    { state: 'failed', problem: 'log in first', isBuiltIn: true },
    { state: 'missing', problem: expect.stringContaining('restart the host') },
  ]);
  agent.found = () => Promise.reject(new Error('x'.repeat(5_000)));
  const [failed] = await list(true);
  expect(failed).toMatchObject({ state: 'failed', problem: expect.stringMatching(/^x+…$/) });
  expect(failed?.problem).toHaveLength(1_000);
});

test('x-listAgents checks once for callers of the same seconds, and again with refresh', async () => {
  const { host, agent, list } = await started();
  await Promise.all([list(), list(), list(true)]);
  await list();
  expect(agent.checks).toBe(1);
  await list(true);
  expect(agent.checks).toBe(2);
  await host.advance(5_000);
  await list();
  expect(agent.checks).toBe(3);
});

test('x-listAgents does not wait for an agent longer than its time limit, and delays no other request', async () => {
  const { host, client, agent, list } = await started();
  agent.found = () => new Promise(() => undefined);
  const id = client.ask('x-listAgents', { channel: ROOT });
  await client.request('listSessions', { channel: ROOT });
  await host.advance(7_999);
  expect(client.answerTo(id)).toBeUndefined();
  await host.advance(1);
  expect(await client.answered(id)).toMatchObject({
    items: [{ state: 'failed', problem: expect.stringContaining('within 8 s') }, {}],
  });
  agent.found = async () => ({ available: true });
  expect(await list(true)).toMatchObject([{ state: 'ready' }, {}]);
});

test('[AUTH-1] x-setAgentKey gives a key to its agent, answers without it, and refuses other agents and texts', async () => {
  const { host, agent, list } = await started();
  const admin = await host.client('admin', {}, { tokenHash: 'admin', scope: 'admin' });
  const set = (key: string, provider = 'offered') =>
    admin.request('x-setAgentKey', { channel: ROOT, provider, apiKey: key });
  await expect(set('k')).rejects.toMatchObject({ code: -32602 });
  const keys: string[] = [];
  Object.assign(agent, {
    setKey: async (key: string) => {
      if (key.includes(' ')) throw new AgentError('invalidKey', 'no spaces');
      keys.push(key);
    },
  });
  agent.found = async () => ({
    available: true,
    key: keys.length > 0 ? 'stored' : 'none',
    package: '@me/agent',
  });
  expect(await list()).toMatchObject([{ key: 'none', package: '@me/agent' }, {}]);
  expect(await set('secret')).toEqual({});
  await expect(set('two words')).rejects.toThrow('no spaces');
  await expect(set('secret', 'nobody')).rejects.toMatchObject({ code: -32002 });
  expect(keys).toEqual(['secret']);
  // Without a refresh: the stored answer is dropped.
  const items = await list();
  expect(items).toMatchObject([{ key: 'stored' }, {}]);
  expect(JSON.stringify(items)).not.toContain('secret');
});
