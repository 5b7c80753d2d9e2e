import { defined } from '@agenthost/protocol/values';
import { describe, expect, test } from 'vitest';
import { ROOT, SESSION, startHost } from './host-fixture.ts';
import { PuppetAgent } from './puppet-agent.ts';
import type { RawClient } from './raw-client.ts';

const configChanged = (config: Record<string, unknown>, replace?: boolean) => ({
  type: 'root/configChanged',
  config,
  ...defined({ replace }),
});

async function rootConfig(client: RawClient) {
  const { state } = await client.subscribe(ROOT);
  if (!('agents' in state) || state.config === undefined) throw new Error('the host has no config');
  return state.config;
}

const DEFAULTS = {
  defaultAgent: 'puppet',
  approvals: 'ask',
  pageHosts: [],
  agentComments: false,
  clientToolTimeoutSeconds: 300,
  agentStartTimeoutSeconds: 120,
  agentIdleMinutes: 10,
  maxTerminals: 256,
  terminalScrollbackKilobytes: 64,
  maxConnections: 2_048,
  maxConnectionsPerToken: 1_024,
  maxSubscriptions: 256,
  maxSubscriptionsPerToken: 16_384,
  maxAwayClientsPerToken: 1_024,
  maxMessagesPerSecond: 5_000,
  maxPendingMessages: 10_000,
  replayWindowHours: 24,
  replayWindowMegabytes: 256,
};

describe("the host's config", () => {
  test('[ROOT-1] [ROOT-5] changes for every client, by a merge, and persists over restarts', async () => {
    const host = await startHost();
    const client = await host.client();
    const other = await host.client('other', { initialSubscriptions: [ROOT] });
    expect((await rootConfig(client)).values).toEqual(DEFAULTS);
    const echo = await client.act(ROOT, configChanged({ approvals: 'edits', agentIdleMinutes: 3 }));
    expect(echo?.rejectionReason).toBeUndefined();
    await host.run();
    expect(other.envelopes(ROOT).at(-1)?.action).toEqual(
      configChanged({ approvals: 'edits', agentIdleMinutes: 3 }),
    );
    await host.restart();
    const again = await host.client();
    expect((await rootConfig(again)).values).toEqual({
      ...DEFAULTS,
      approvals: 'edits',
      agentIdleMinutes: 3,
    });
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{ colour: 'red' }, /^invalidConfig: colour: unknown key/],
    [{ pageHosts: 'https://example.org' }, /^invalidConfig: pageHosts: expected an array$/],
    [{ pageHosts: ['https://example.org/'] }, /^invalidConfig: pageHosts: expected a list of origins/],
    [{ pageHosts: ['https://a; script-src *'] }, /^invalidConfig: pageHosts: expected a list of origins/],
    [{ pageHosts: ['ftp://example.org'] }, /^invalidConfig: pageHosts: expected a list of origins/],
    [{ approvals: 'some' }, /^invalidConfig: approvals: expected one of "ask", "edits", "all", "none"/],
    [{ approvals: 1 }, /^invalidConfig: approvals: expected/],
    [{ defaultAgent: 'nobody' }, /^invalidConfig: defaultAgent: expected one of "puppet"/],
    [{ maxTerminals: '5' }, /^invalidConfig: maxTerminals: expected a number/],
    [{ maxTerminals: 0 }, /^invalidConfig: maxTerminals: expected a whole number from 1 to 1024/],
    [{ maxTerminals: 1.5 }, /^invalidConfig: maxTerminals: expected a whole number/],
    [{ approvals: 'all', maxTerminals: 2_000 }, /^invalidConfig: maxTerminals/],
  ])('[ROOT-5] an invalid change is rejected as a whole: %j', async (config, reason) => {
    const host = await startHost();
    const client = await host.client();
    expect((await client.act(ROOT, configChanged(config)))?.rejectionReason).toMatch(reason);
    expect((await rootConfig(client)).values).toEqual(DEFAULTS);
  });

  test('[ROOT-5] a replacement restores the defaults of omitted keys', async () => {
    const host = await startHost();
    const client = await host.client('c', { initialSubscriptions: [ROOT] });
    await client.act(ROOT, configChanged({ maxTerminals: 3, approvals: 'all' }));
    await client.act(ROOT, configChanged({ maxTerminals: 5 }, true));
    expect((await rootConfig(client)).values).toEqual({ ...DEFAULTS, maxTerminals: 5 });
  });

  test('[ROOT-5] a value of the start options can be neither changed nor dropped, and does not bind a later start without it', async () => {
    const host = await startHost({ config: { approvals: 'none', maxTerminals: 2 } });
    const client = await host.client();
    const { schema, values } = await rootConfig(client);
    expect(values).toMatchObject({ approvals: 'none', maxTerminals: 2 });
    const fixed = Object.entries(schema.properties).flatMap(([key, { readOnly }]) => (readOnly ? [key] : []));
    expect(fixed).toEqual(['approvals', 'maxTerminals']);
    const tried = async (...change: Parameters<typeof configChanged>) =>
      (await client.act(ROOT, configChanged(...change)))?.rejectionReason;
    expect(await tried({ approvals: 'all' })).toMatch(/^readOnly: approvals: fixed/);
    expect(await tried({ approvals: 'none' })).toMatch(/^readOnly/);
    expect(await tried({ agentIdleMinutes: 5 }, true)).toMatch(
      /^readOnly: approvals: fixed when the host was started; a replacement must keep it/,
    );
    expect(await tried({ approvals: 'all', maxTerminals: 2 }, true)).toMatch(/^readOnly: approvals/);
    expect(await tried({ approvals: 'none', maxTerminals: 2, agentIdleMinutes: 5 }, true)).toBeUndefined();
    expect((await rootConfig(client)).values).toMatchObject({ approvals: 'none', agentIdleMinutes: 5 });
  });

  test('[ROOT-5] clients that reconnect after a start with another schema get a snapshot, otherwise a replay', async () => {
    const agents = [new PuppetAgent('one')];
    const host = await startHost({ agents: [() => agents[0] ?? new PuppetAgent()] });
    const client = await host.client('c', { initialSubscriptions: [ROOT] });
    await client.act(ROOT, configChanged({ maxTerminals: 3 }));
    const seen = client.envelopes(ROOT).at(-1)?.serverSeq ?? 0;
    await host.restart();
    const same = host.connect('c');
    expect(await same.reconnect(seen, [ROOT])).toMatchObject({ type: 'replay' });
    agents[0] = new PuppetAgent('two');
    await host.restart();
    const changed = host.connect('c');
    expect(await changed.reconnect(seen, [ROOT])).toMatchObject({
      type: 'snapshot',
      snapshots: [{ state: { config: { values: { defaultAgent: 'two', maxTerminals: 3 } } } }],
    });
  });

  test('[ROOT-5] the default agent is offered by the names of the agents', async () => {
    const host = await startHost({ agents: [() => new PuppetAgent('one')] });
    const { schema } = await rootConfig(await host.client());
    expect(schema.properties['defaultAgent']).toMatchObject({ enum: ['one'], enumLabels: ['Puppet'] });
  });

  test('[ROOT-5] an invalid value of the start options prevents the start', async () => {
    await expect(startHost({ config: { maxTerminals: 0 } })).rejects.toThrow(/maxTerminals: expected/);
    await expect(startHost({ config: { nothing: 0 } })).rejects.toThrow(/nothing: unknown key/);
  });
});

describe('a setting takes effect at once', () => {
  test('[ROOT-5] [SESS-1] defaultAgent and approvals: on the next session', async () => {
    const host = await startHost({ agents: [() => new PuppetAgent('one'), () => new PuppetAgent('two')] });
    const client = await host.client();
    await client.act(ROOT, configChanged({ defaultAgent: 'two', approvals: 'all' }));
    await client.request('createSession', { channel: SESSION });
    expect((await client.subscribe(SESSION)).state).toMatchObject({
      provider: 'two',
      config: { values: { approvals: 'all' } },
    });
    await client.request('createSession', {
      channel: 'ahp-session:/b',
      provider: 'one',
      config: { approvals: 'ask' },
    });
    expect((await client.subscribe('ahp-session:/b')).state).toMatchObject({
      provider: 'one',
      config: { values: { approvals: 'ask' } },
    });
  });

  test('[ROOT-5] [TERM-1] maxTerminals: on the next terminal', async () => {
    const host = await startHost();
    const client = await host.client();
    await client.act(ROOT, configChanged({ maxTerminals: 1 }));
    const claim = { kind: 'client' as const, clientId: client.clientId };
    await client.request('createTerminal', { channel: 'ahp-terminal:/1', claim });
    const second = client.request('createTerminal', { channel: 'ahp-terminal:/2', claim });
    await expect(second).rejects.toMatchObject({
      code: -32011,
      message: expect.stringContaining('1 terminals'),
    });
    await client.act(ROOT, configChanged({ maxTerminals: 2 }));
    await client.request('createTerminal', { channel: 'ahp-terminal:/2', claim });
  });

  test('[ROOT-5] agentIdleMinutes: on agents without subscribers', async () => {
    const host = await startHost();
    const client = await host.client();
    await host.session(client);
    await client.act(ROOT, configChanged({ agentIdleMinutes: 2 }));
    client.link.cut();
    // Unloaded after a minute, closed two minutes later, and checked every 15 s.
    await host.advance(2.5 * 60_000);
    expect(host.agent.closeCount).toBe(0);
    await host.advance(60_000);
    expect(host.agent.closeCount).toBe(1);
  });

  test('[ROOT-5] [CONN-5] replayWindowHours: on the replay for clients that were disconnected', async () => {
    const host = await startHost();
    const client = await host.client('c');
    await host.session(client);
    const first = await client.act(SESSION, { type: 'session/titleChanged', title: 'seen' });
    const seen = first?.serverSeq ?? 0;
    await client.act(SESSION, { type: 'session/titleChanged', title: 'missed' });
    await client.act(ROOT, configChanged({ replayWindowHours: 3 }));
    client.link.cut();
    await host.advance(2 * 3_600_000);
    const early = host.connect('c');
    expect(await early.reconnect(seen, [SESSION])).toMatchObject({ type: 'replay' });
    early.link.cut();
    await host.advance(2 * 3_600_000);
    const late = host.connect('c');
    expect(await late.reconnect(seen, [SESSION])).toMatchObject({ type: 'snapshot' });
  });
});
