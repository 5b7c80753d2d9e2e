import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type HostFixture, SESSION, startHost } from '../../test/host-fixture.ts';
import { JournalError } from '../journal/journal.ts';
import { SqliteJournal } from '../journal/sqlite/sqlite-journal.ts';

/** A session with a chat without subscribers, in a host that was restarted. */
async function setUp(): Promise<{ host: HostFixture; chat: string }> {
  const host = await startHost();
  const client = await host.client();
  const { chat } = await host.session(client);
  await client.act(SESSION, { type: 'session/titleChanged', title: 'Garden' });
  await host.restart();
  return { host, chat };
}

const registryOf = (host: HostFixture) => host.host.core.sync.registry;

describe('loading', () => {
  it('of one channel by several callers gives all the same channel, with its session', async () => {
    const { host, chat } = await setUp();
    const registry = registryOf(host);
    expect(registry.get(chat)).toBeUndefined();
    const [first, second, session] = await Promise.all([
      registry.open(chat),
      registry.open(chat),
      registry.open(SESSION),
    ]);
    expect(first).toBeDefined();
    expect(second).toBe(first);
    expect(registry.get(SESSION)).toBe(session);
    expect(await registry.openOf('session', chat)).toBeUndefined();
  });

  it('of an unknown URI finds nothing', async () => {
    const { host } = await setUp();
    expect(await registryOf(host).open('ahp-session:/none')).toBeUndefined();
  });

  it('of a URI with a lone surrogate finds nothing, although its UTF-8 is the URI of another channel', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agenthost-registry-'));
    // UTF-8 replaces a lone surrogate by this character.
    const uri = 'ahp-session:/a\ufffd';
    const first = await startHost({ journal: new SqliteJournal({ folder }) });
    await first.session(await first.client(), uri);
    await first.stop();
    const host = await startHost({ journal: new SqliteJournal({ folder }) });
    const registry = registryOf(host);
    for (const half of ['\ud800', '\udfff'])
      expect(await registry.open(`ahp-session:/a${half}`)).toBeUndefined();
    expect(await registry.open(uri)).toBeDefined();
    await host.stop();
    rmSync(folder, { recursive: true });
  });

  it('that fails can be repeated', async () => {
    const { host, chat } = await setUp();
    host.journal.gates.afterRead = () => {
      throw new JournalError('io', 'a test broke the disk');
    };
    await expect(registryOf(host).open(chat)).rejects.toThrow('broke');
    host.journal.gates.afterRead = undefined;
    expect(await registryOf(host).open(chat)).toBeDefined();
  });

  it('[SESS-3] does not restore a channel that is disposed of meanwhile', async () => {
    const { host, chat } = await setUp();
    const client = await host.client();
    await client.request('disposeSession', { channel: SESSION });
    expect(await registryOf(host).open(chat)).toBeUndefined();
    expect(await registryOf(host).open(SESSION)).toBeUndefined();
    expect(host.journal.disk.channels.has(chat)).toBe(false);
  });
});

describe('unloading', () => {
  it('unloads unused channels, a session after its chats, and saves them first', async () => {
    const { host, chat } = await setUp();
    const client = await host.client();
    await client.act(SESSION, { type: 'session/titleChanged', title: 'Meadow' });
    await host.advance(59_000);
    expect(registryOf(host).get(SESSION)).toBeDefined();
    await client.act(chat, { type: 'chat/draftChanged', draft: { text: 'x', origin: { kind: 'user' } } });
    await host.advance(50_000);
    // The session counts as used for as long as its chat.
    expect(registryOf(host).get(SESSION)).toBeDefined();
    await host.advance(120_000);
    expect(registryOf(host).get(chat)).toBeUndefined();
    expect(registryOf(host).get(SESSION)).toBeUndefined();
    expect(host.journal.disk.channels.get(SESSION)?.state).toContain('Meadow');
    expect((await client.subscribe(chat)).state).toMatchObject({ draft: { text: 'x' } });
    expect((await client.subscribe(SESSION)).state).toMatchObject({ title: 'Meadow' });
  });

  it('keeps subscribed channels, running turns, and the root', async () => {
    const { host, chat } = await setUp();
    const client = await host.client();
    await client.act(chat, {
      type: 'chat/turnStarted',
      startedAt: '2026-06-01T00:00:00.000Z',
      turnId: 't',
      message: { text: 'go', origin: { kind: 'user' } },
    });
    await host.advance(600_000);
    expect(registryOf(host).get(chat)).toBeDefined();
    host.agent.turn.complete();
    await host.advance(120_000);
    expect(registryOf(host).get(chat)).toBeUndefined();
    await client.subscribe(chat);
    await host.advance(600_000);
    expect(registryOf(host).get(chat)).toBeDefined();
    expect(registryOf(host).get('ahp-root://')).toBeDefined();
  });

  it('waits while the journal cannot be written, without a growing queue', async () => {
    const { host, chat } = await setUp();
    const client = await host.client();
    await client.act(chat, { type: 'chat/draftChanged' });
    host.journal.gates.beforeCommit = () => {
      throw new JournalError('full', 'a test filled the disk');
    };
    await client.act(chat, { type: 'chat/draftChanged' });
    await host.advance(600_000);
    expect(registryOf(host).get(chat)).toBeDefined();
    let held = 0;
    host.journal.gates.beforeCommit = (writes) => {
      held += writes.length;
    };
    await host.advance(1_000);
    expect(held).toBeLessThan(5);
    await host.advance(120_000);
    expect(registryOf(host).get(chat)).toBeUndefined();
  });

  it('does not lose an action that arrives at that moment and needs the channel to be loaded', async () => {
    const { host, chat } = await setUp();
    const client = await host.client();
    for (let index = 0; index < 45; index += 1) {
      const message = { text: 'x', origin: { kind: 'user' as const } };
      await client.act(chat, {
        type: 'chat/turnStarted',
        startedAt: '2026-06-01T00:00:00.000Z',
        turnId: `t${index}`,
        message,
      });
      host.agent.turn.complete();
      await host.run();
    }
    await host.advance(59_000);
    const gate = Promise.withResolvers<void>();
    host.journal.gates.afterRead = () => gate.promise;
    const clientSeq = client.dispatch(chat, { type: 'chat/truncated', turnId: 't3' });
    await host.advance(20_000);
    host.journal.gates.afterRead = undefined;
    gate.resolve();
    await host.run();
    expect(client.echoOf(clientSeq)).toBeDefined();
    expect((await client.subscribe(chat)).state).toMatchObject({ turns: { length: 4 } });
  });
});
