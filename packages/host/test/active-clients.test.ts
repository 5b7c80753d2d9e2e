import type { SessionActiveClient, ToolDefinition } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { type FixtureOptions, type HostFixture, SESSION, startHost } from './host-fixture.ts';
import { codeOf } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';

const join = (clientId: string, tools: ToolDefinition[] = [{ name: 'look' }]) => ({
  type: 'session/activeClientSet' as const,
  activeClient: { clientId, tools },
});

async function activeIn(client: RawClient, uri = SESSION): Promise<string[]> {
  const { state } = await client.subscribe(uri);
  if (!('activeClients' in state)) throw new Error(`${uri} is no session`);
  return state.activeClients.map(({ clientId }) => clientId);
}

/** A session that `watch` subscribes to and in which `me` is active. */
async function joined(
  options: FixtureOptions = {},
): Promise<{ host: HostFixture; watch: RawClient; me: RawClient }> {
  const host = await startHost(options);
  const watch = await host.client('watch');
  await host.session(watch);
  const me = await host.client('me');
  await me.subscribe(SESSION);
  await me.act(SESSION, join('me'));
  return { host, watch, me };
}

describe('active clients', () => {
  test('[SESS-8] several are active at once, each with its tools, which are removed when it leaves', async () => {
    const { host, watch, me } = await joined();
    await watch.act(SESSION, join('watch', [{ name: 'listen' }]));
    const names = (): string[] =>
      host.agent.opened[0]?.host.clientTools().map(({ clientId, name }) => `${clientId} ${name}`) ?? [];
    expect(names()).toEqual(['me look', 'watch listen']);
    expect(host.agent.toolsChangedCount).toBe(2);
    await me.act(SESSION, { type: 'session/activeClientRemoved', clientId: 'me' });
    expect(names()).toEqual(['watch listen']);
    await watch.act(SESSION, join('watch', []));
    expect(names()).toEqual([]);
    expect(host.agent.toolsChangedCount).toBe(4);
    await watch.act(SESSION, join('watch', []));
    expect(host.agent.toolsChangedCount).toBe(4);
  });

  test('[SESS-8] a stop of the host waits for none of them', async () => {
    const { host } = await joined();
    await host.stop();
    expect(host.clock.nextAt).toBeUndefined();
  });

  test('[SESS-8] of two clients that offer the same name, the first keeps it and the second gets a suffix', async () => {
    const { host, watch } = await joined();
    await watch.act(SESSION, join('watch', [{ name: 'look' }, { name: 'hear' }]));
    const tools = host.agent.opened[0]?.host.clientTools() ?? [];
    expect(tools.map(({ clientId, definition }) => `${clientId} ${definition.name}`)).toEqual([
      'me look',
      'watch look',
      'watch hear',
    ]);
    expect(tools.map(({ name }) => name)).toEqual([
      'look',
      expect.stringMatching(/^look_[0-9a-f]{6}$/),
      'hear',
    ]);
  });

  test('[SESS-8] a client that unsubscribes from the session is no longer active there', async () => {
    const { host, watch, me } = await joined();
    me.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel: SESSION } });
    await host.run();
    expect(await activeIn(watch)).toEqual([]);
    expect(watch.types(SESSION)).toContain('session/activeClientRemoved');
  });

  test('[SESS-8] a disconnected client stays for the grace period of 30 s, and no longer', async () => {
    const { host, watch, me } = await joined();
    me.link.cut();
    await host.advance(29_000);
    expect(await activeIn(watch)).toEqual(['me']);
    await host.advance(2_000);
    expect(await activeIn(watch)).toEqual([]);
  });

  test('[SESS-8] a client that reconnects in time with the session among its subscriptions stays', async () => {
    const { host, watch, me } = await joined();
    me.link.cut();
    await host.advance(20_000);
    const again = host.connect('me');
    await again.reconnect(1, [SESSION]);
    await host.advance(60_000);
    expect(await activeIn(watch)).toEqual(['me']);
    // The next absence has a grace period of its own.
    again.link.cut();
    await host.advance(29_000);
    expect(await activeIn(watch)).toEqual(['me']);
    await host.advance(2_000);
    expect(await activeIn(watch)).toEqual([]);
  });

  test.each(['initialize', 'reconnect'] as const)(
    '[SESS-8] a client that comes back by %s without the session is removed at once',
    async (how) => {
      const { host, watch } = await joined();
      const again = host.connect('me');
      if (how === 'initialize') await again.initialize({ initialSubscriptions: ['ahp-root://'] });
      else await again.reconnect(1, ['ahp-root://']);
      await host.run();
      expect(await activeIn(watch)).toEqual([]);
    },
  );

  test('[SESS-8] a client that comes back by initialize with the session finds itself in the snapshot', async () => {
    const { host } = await joined();
    const again = host.connect('me');
    const { snapshots } = await again.initialize({ initialSubscriptions: [SESSION] });
    expect(snapshots[0]?.state).toMatchObject({ activeClients: [{ clientId: 'me' }] });
  });

  test('[SESS-8] [CONN-8] after a kill grace periods start with the next host', async () => {
    const { host } = await joined();
    const other = 'ahp-session:/other';
    const late = await host.client('late');
    await late.request('createSession', {
      channel: other,
      activeClient: { clientId: 'late', tools: [] } satisfies SessionActiveClient,
    });
    await host.advance(10_000);
    await host.restart();
    await host.advance(20_000);
    const watch = await host.client('watch');
    expect([await activeIn(watch), await activeIn(watch, other)]).toEqual([['me'], ['late']]);
    const back = host.connect('late');
    await back.reconnect(1, [other]);
    await host.advance(11_000);
    expect([await activeIn(watch), await activeIn(watch, other)]).toEqual([[], ['late']]);
    // After a second kill too, and in a session without subscribers since.
    await host.restart();
    await host.advance(31_000);
    expect(await activeIn(await host.client('watch'), other)).toEqual([]);
    const open = await host.journal.listOpen();
    expect(open).toEqual([]);
  });

  test('[SESS-8] [CONN-8] [CHAT-9] after a kill they are removed in a session with a URI of another scheme too', async () => {
    const { host } = await joined();
    const other = 'puppet:/5f1c';
    const late = await host.client('late');
    await late.request('createSession', { channel: other });
    await late.act(other, join('late'));
    await host.restart();
    const watch = await host.client('watch');
    await host.advance(29_000);
    expect(await activeIn(watch, other)).toEqual(['late']);
    await host.advance(2_000);
    expect(await activeIn(watch, other)).toEqual([]);
    expect(await host.journal.listOpen()).toEqual([]);
  });

  test('[SESS-8] they are removed in a session that is not in memory too', async () => {
    const { host, watch, me } = await joined({ graceMs: 600_000, unloadAfterMs: 1_000 });
    for (const client of [watch, me]) client.link.cut();
    await host.advance(500_000);
    const again = host.connect('me');
    await again.initialize();
    await host.run();
    expect(await activeIn(await host.client())).toEqual([]);
  });

  test.each<[string, ToolDefinition[]]>([
    ['a name with a space', [{ name: 'look here' }]],
    ['no name', [{ name: '' }]],
    ['a name of 129 characters', [{ name: 'n'.repeat(129) }]],
    ['one name twice', [{ name: 'look' }, { name: 'look' }]],
    [
      'more than 256 KiB of definitions',
      Array.from({ length: 100 }, (_, index) => ({ name: `t${index}`, description: 'd'.repeat(3_000) })),
    ],
    ['an input that is no object', [{ name: 'look', inputSchema: { type: 'string' } }]],
  ])('[SESS-8] tools that no agent could use are refused: %s', async (_, tools) => {
    const { host, me } = await joined();
    expect(codeOf(await me.act(SESSION, join('me', tools)))).toBe('invalidTools');
    const channel = 'ahp-session:/other';
    await expect(
      me.request('createSession', { channel, activeClient: { clientId: 'me', tools } }),
    ).rejects.toMatchObject({ code: -32602 });
    expect(host.agent.opened[0]?.host.clientTools().map(({ name }) => name)).toEqual(['look']);
  });

  test('[SESS-8] a client that left during the creation of its session is removed', async () => {
    const host = await startHost();
    const me = await host.client('me');
    me.ask('createSession', { channel: SESSION, activeClient: { clientId: 'me', tools: [] } });
    // Messages in flight arrive, and the connection closes before the session is ready.
    me.link.deliverAll();
    me.link.cut();
    await host.advance(31_000);
    const watch = await host.client('watch');
    expect(await activeIn(watch)).toEqual([]);
  });

  test('[SESS-8] tools offered while the agent opens are there when its first turn runs', async () => {
    const host = await startHost();
    const opening = Promise.withResolvers<void>();
    host.agent.opening = opening.promise;
    const me = await host.client('me');
    await me.request('createSession', { channel: SESSION });
    const { state } = await me.subscribe(SESSION);
    await me.act(SESSION, join('me'));
    const chat = 'defaultChat' in state ? (state.defaultChat ?? '') : '';
    await me.act(chat, turnStarted('t1'));
    opening.resolve();
    await host.run();
    expect(host.agent.opened[0]?.host.clientTools()).toHaveLength(1);
    expect(host.agent.toolsChangedCount).toBe(1);
  });
});
