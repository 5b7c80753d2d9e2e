import { defined } from '@agenthost/protocol/values';
import { describe, expect, test } from 'vitest';
import type { ResolvedConfig } from '../src/agents/provider.ts';
import { ROOT, SESSION, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

async function sessionState(client: RawClient, uri = SESSION) {
  const { state } = await client.subscribe(uri);
  if (!('activeClients' in state)) throw new Error(`${uri} is no session`);
  return state;
}

const configChanged = (config: Record<string, unknown>, replace?: boolean) => ({
  type: 'session/configChanged',
  config,
  ...defined({ replace }),
});

describe("the host's keys", () => {
  test('[SESS-1] [ROOT-4] are in the config of every session and shown before its creation', async () => {
    const host = await startHost();
    const client = await host.client();
    const resolved = await client.request('resolveSessionConfig', {
      channel: ROOT,
      config: { instructions: 'Be brief.' },
    });
    const { properties } = resolved.schema;
    expect(Object.keys(properties)).toEqual(['approvals', 'instructions', 'isolation', 'base', 'metadata']);
    const fixed = Object.entries(properties).filter(([, { sessionMutable }]) => sessionMutable !== true);
    expect(fixed.map(([key]) => key)).toEqual(['isolation', 'base']);
    expect(resolved.values).toEqual({ approvals: 'ask', instructions: 'Be brief.', metadata: {} });
    await client.request('createSession', { channel: SESSION, config: { metadata: { ticket: '7' } } });
    const state = await sessionState(client);
    expect(state.config?.schema).toEqual(resolved.schema);
    expect(state.config?.values).toEqual({ approvals: 'ask', instructions: '', metadata: { ticket: '7' } });
    expect(state._meta).toEqual({ metadata: { ticket: '7' } });
    const { items } = await client.request('listSessions', { channel: ROOT });
    expect(items).toMatchObject([{ _meta: { metadata: { ticket: '7' } } }]);
  });

  test("[SESS-1] win over an agent's own of the same name, which it never sees", async () => {
    const host = await startHost();
    const offered: ResolvedConfig = {
      schema: {
        type: 'object',
        properties: {
          approvals: { type: 'number', title: 'Own' },
          mode: { type: 'string', title: 'Mode', enum: ['ask', 'code'], sessionMutable: true },
        },
        required: ['approvals', 'mode'],
      },
      values: { approvals: 3, mode: 'ask' },
    };
    host.agent.resolveConfig = async () => offered;
    const client = await host.client();
    await client.request('createSession', { channel: SESSION, config: { approvals: 'edits' } });
    const { config } = await sessionState(client);
    await host.run();
    expect(config?.values).toEqual({ approvals: 'edits', mode: 'ask', instructions: '', metadata: {} });
    expect(config?.schema.properties['approvals']?.type).toBe('string');
    expect(config?.schema.required).toEqual(['mode']);
    expect(host.agent.opened[0]?.config).toEqual({ mode: 'ask' });
    await client.act(SESSION, configChanged({ approvals: 'none' }));
    await client.act(SESSION, configChanged({ approvals: 'ask', mode: 'code' }));
    await host.run();
    expect(host.agent.configured).toEqual([{ mode: 'code' }]);
    host.agent.opened[0]?.host.config({
      schema: offered.schema,
      values: { approvals: 9, mode: 'ask' },
    });
    await host.run();
    expect((await sessionState(client)).config?.values).toMatchObject({ approvals: 'ask', mode: 'ask' });
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{ approvals: 'some' }, /approvals: expected one of/],
    [{ instructions: 5 }, /instructions: expected a string/],
    [{ instructions: 'x'.repeat(32 * 1024 + 1) }, /instructions: expected at most 32768 characters/],
    [{ metadata: { a: 1 } }, /metadata: expected an object, a a string/],
    [{ metadata: [] }, /metadata: expected an object/],
    [
      { metadata: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`k${i}`, 'v'])) },
      /metadata: expected at most 32 entries/,
    ],
    [{ metadata: { ['k'.repeat(65)]: 'v' } }, /metadata: expected keys of 1 to 64 characters/],
    [{ metadata: { '': 'v' } }, /metadata: expected keys of 1 to 64 characters/],
    [{ metadata: { k: 'v'.repeat(513) } }, /values of at most 512/],
  ])('[SESS-1] [SESS-9] refuse invalid values: %#', async (config, fault) => {
    const host = await startHost();
    const client = await host.client();
    await expect(client.request('createSession', { channel: SESSION, config })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(fault),
    });
    await host.session(client);
    const before = await sessionState(client);
    const echo = await client.act(SESSION, configChanged(config));
    expect(echo?.rejectionReason).toMatch(fault);
    expect(await sessionState(client)).toEqual(before);
  });

  test('[SESS-9] changes by clients merge or replace, keep to mutable keys, and may drop those', async () => {
    const host = await startHost();
    const offered: ResolvedConfig = {
      schema: { type: 'object', properties: { branch: { type: 'string', title: 'Branch' } } },
      values: { branch: 'main' },
    };
    host.agent.resolveConfig = async () => offered;
    const client = await host.client();
    await host.session(client);
    const tried = async (...change: Parameters<typeof configChanged>) =>
      (await client.act(SESSION, configChanged(...change)))?.rejectionReason;
    expect(await tried({ branch: 'topic' })).toMatch(/^notMutable: branch/);
    expect(await tried({ unknown: 1 })).toMatch(/^invalidConfig: unknown/);
    expect(await tried({ approvals: 'all' }, true)).toMatch(
      /^notMutable: branch: .*; a replacement must keep it/,
    );
    expect(await tried({ approvals: 'all', branch: 'topic' }, true)).toMatch(/^notMutable: branch/);
    expect(await tried({ instructions: 'a' })).toBeUndefined();
    expect((await sessionState(client)).config?.values).toEqual({
      branch: 'main',
      approvals: 'ask',
      instructions: 'a',
      metadata: {},
    });
    expect(await tried({ branch: 'main', approvals: 'all' }, true)).toBeUndefined();
    expect((await sessionState(client)).config?.values).toEqual({ branch: 'main', approvals: 'all' });
  });

  test("[SESS-10] metadata shows in the session's _meta beside other entries, and in the catalogue", async () => {
    const host = await startHost();
    const watcher = await host.client('watcher', { initialSubscriptions: [ROOT] });
    const client = await host.client();
    await host.session(client);
    host.agent.opened[0]?.host.commands([{ name: 'go', description: 'Goes' }]);
    await host.run();
    await client.act(SESSION, configChanged({ metadata: { team: 'red' } }));
    const { _meta } = await sessionState(client);
    expect(_meta).toEqual({
      'agenthost.commands': [{ name: 'go', description: 'Goes' }],
      metadata: { team: 'red' },
    });
    const listed = async () => (await client.request('listSessions', { channel: ROOT })).items[0]?._meta;
    expect(await listed()).toEqual({ metadata: { team: 'red' } });
    const count = client.types(SESSION).filter((type) => type === 'session/metaChanged').length;
    await client.act(SESSION, configChanged({ approvals: 'all' }));
    expect(client.types(SESSION).filter((type) => type === 'session/metaChanged')).toHaveLength(count);
    await client.act(SESSION, configChanged({ metadata: {} }));
    expect((await sessionState(client))._meta).toMatchObject({ metadata: {} });
    expect(await listed()).toEqual({});
    expect(watcher.notifications('root/sessionSummaryChanged')).toEqual(
      expect.arrayContaining([
        { channel: ROOT, session: SESSION, changes: { _meta: { metadata: { team: 'red' } } } },
        { channel: ROOT, session: SESSION, changes: { _meta: {} } },
      ]),
    );
  });

  test('[SESS-9] are added to sessions of earlier versions when they are loaded, and clients get snapshots of those', async () => {
    const host = await startHost();
    const client = await host.client();
    await host.session(client);
    const { sync } = host.host.core;
    const session = sync.registry.getOf('session', SESSION);
    if (session === undefined) throw new Error('no session');
    const { config: _, ...old } = session.state;
    sync.transact('host', (tx) => {
      tx.setWindow(session, old);
      sync.registry.writeSnapshot(tx, session);
    });
    await client.act(SESSION, { type: 'session/titleChanged', title: 'from before' });
    const lastSeen = client.envelopes().at(-1)?.serverSeq ?? 0;
    await host.restart();
    const again = host.connect(client.clientId);
    const answer = await again.reconnect(lastSeen, [SESSION]);
    expect(answer).toMatchObject({
      type: 'snapshot',
      snapshots: [
        {
          state: {
            title: 'from before',
            config: { values: { approvals: 'ask', instructions: '', metadata: {} } },
          },
        },
      ],
    });
    await again.act(SESSION, configChanged({ approvals: 'all' }));
    const seen = again.envelopes().at(-1)?.serverSeq ?? 0;
    await host.restart();
    // One snapshot is enough: later reconnects get a replay.
    const third = host.connect(client.clientId);
    expect(await third.reconnect(seen, [SESSION])).toMatchObject({ type: 'replay' });
    expect((await sessionState(third)).config?.values).toMatchObject({ approvals: 'all' });
  });
});
