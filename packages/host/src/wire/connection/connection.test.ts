import { describe, expect, it } from 'vitest';
import { type HostFixture, ROOT, SESSION, startHost } from '../../../test/host-fixture.ts';
import type { RawClient } from '../../../test/raw-client.ts';
import { JournalError } from '../../journal/journal.ts';

const message = (text: string) => ({ text, origin: { kind: 'user' as const } });
const start = (turnId: string) => ({
  type: 'chat/turnStarted',
  startedAt: '2026-06-01T00:00:00.000Z',
  turnId,
  message: message(turnId),
});

/** Adds a chat to the session and subscribes to it. */
async function addChat(client: RawClient, chat: string): Promise<void> {
  await client.request('createChat', { channel: SESSION, chat });
  await client.subscribe(chat);
}

async function runTurns(host: HostFixture, client: RawClient, chat: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await client.act(chat, start(`t${index}`));
    await host.run();
    host.agent.turn.complete();
    await host.run();
  }
}

describe('subscriptions', () => {
  it('[SUB-1] to disposed channels do not count', async () => {
    const host = await startHost();
    const client = await host.client();
    await host.session(client);
    for (let index = 0; index < 260; index += 1) {
      await addChat(client, `ahp-chat:/${index}`);
      await client.request('disposeChat', { channel: `ahp-chat:/${index}` });
    }
    await addChat(client, 'ahp-chat:/last');
    expect(client.closed).toBeUndefined();
  });

  it('[CONN-7] to disposed channels are forgotten', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    for (let index = 0; index < 20; index += 1) {
      await addChat(client, `ahp-chat:/${index}`);
      await client.request('disposeChat', { channel: `ahp-chat:/${index}` });
    }
    await addChat(client, 'ahp-chat:/last');
    const row = host.journal.disk.clients.get(client.clientId);
    const remembered: [string][] = JSON.parse(row?.subscriptions ?? '[]');
    expect(remembered.map(([uri]) => uri)).toStrictEqual([session, chat, 'ahp-chat:/last']);
  });

  it('[SUB-1] are at most 256', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    for (let index = 0; index < 254; index += 1) await addChat(client, `ahp-chat:/${index}`);
    await expect(addChat(client, 'ahp-chat:/last')).rejects.toMatchObject({ code: -32602 });
    // A repeated subscription only replaces the earlier one.
    await client.subscribe(chat);
  });

  it('[SUB-1] that fail leave no subscription and no held output behind', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, 45);
    const reader = await host.client();
    host.journal.gates.afterRead = () => {
      throw new JournalError('io', 'a test broke the disk');
    };
    await expect(reader.subscribe(chat)).rejects.toMatchObject({ code: -32603 });
    host.journal.gates.afterRead = undefined;
    await client.act(chat, start('u'));
    await host.run();
    expect(reader.envelopes(chat)).toStrictEqual([]);
    expect((await reader.subscribe(chat)).state).toMatchObject({ activeTurn: { id: 'u' } });
  });

  it('keep a channel in memory for a while after their connection has gone', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await host.advance(120_000);
    client.link.cut();
    await host.advance(50_000);
    expect(host.host.core.sync.registry.get(chat)).toBeDefined();
    await host.advance(30_000);
    expect(host.host.core.sync.registry.get(chat)).toBeUndefined();
    expect((await (await host.client()).subscribe(chat)).resource).toBe(chat);
  });
});

describe('reconnecting', () => {
  it('[CONN-5] to a channel that was disposed of and created again under its URI gets snapshots', async () => {
    const host = await startHost();
    const owner = await host.client();
    await host.session(owner);
    const client = await host.client();
    const chat = 'ahp-chat:/x';
    await addChat(client, chat);
    await client.act(chat, start('old'));
    const seen = client.envelopes().at(-1)?.serverSeq ?? 0;
    client.link.cut();
    await owner.request('disposeChat', { channel: chat });
    await addChat(owner, chat);
    for (const isRestarted of [false, true]) {
      if (isRestarted) await host.restart();
      const again = host.connect(client.clientId);
      expect(await again.reconnect(seen, [chat])).toMatchObject({
        type: 'snapshot',
        snapshots: [{ resource: chat, state: { turns: [] } }],
      });
      again.link.cut();
    }
  });

  it('[CONN-2] [CONN-5] sends nothing twice when a replay turns out to be impossible', async () => {
    const host = await startHost();
    const owner = await host.client();
    const { chat } = await host.session(owner);
    await runTurns(host, owner, chat, 30);
    const client = await host.client();
    const { fromSeq } = await client.subscribe(chat, { view: { turns: 2 } });
    client.link.cut();
    await owner.act(chat, { type: 'chat/truncated', turnId: 't3' });
    const gate = Promise.withResolvers<void>();
    // The first read is that of the client's record.
    let readCount = 0;
    host.journal.gates.afterRead = () => {
      readCount += 1;
      return readCount > 1 ? gate.promise : undefined;
    };
    const again = host.connect(client.clientId);
    const asked = again.ask('reconnect', {
      channel: ROOT,
      clientId: client.clientId,
      lastSeenServerSeq: fromSeq,
      subscriptions: [chat],
    });
    await host.run();
    await owner.act(chat, { type: 'chat/draftChanged', draft: message('while it was read') });
    host.journal.gates.afterRead = undefined;
    gate.resolve();
    expect(await again.answered(asked)).toMatchObject({
      type: 'snapshot',
      snapshots: [{ state: { draft: { text: 'while it was read' } } }],
    });
    await host.run();
    expect(again.envelopes(chat)).toStrictEqual([]);
  });
});

describe('one client on two connections', () => {
  it('[CONN-3] that connect at the same time: the later one stays and is remembered', async () => {
    const host = await startHost();
    const clients = [host.connect('twin'), host.connect('twin')];
    const epochs = ['first', 'second'];
    for (const [index, client] of clients.entries()) {
      client.ask('initialize', {
        channel: ROOT,
        protocolVersions: ['1.0.0'],
        clientId: 'twin',
        initialSubscriptions: [ROOT],
        'x-epoch': epochs[index],
      });
    }
    await host.run();
    const survivors = clients.flatMap((client, index) =>
      client.closed === undefined ? [epochs[index]] : [],
    );
    expect(survivors).toHaveLength(1);
    expect(host.journal.disk.clients.get('twin')?.epoch).toBe(survivors[0]);
  });

  it('[AUTH-1] under two tokens: the client id belongs to the first token', async () => {
    const host = await startHost();
    const params = { channel: ROOT, protocolVersions: ['1.0.0'], clientId: 'twin' };
    const mine = host.connect('twin', { tokenHash: 'mine', scope: 'admin' as const });
    const yours = host.connect('twin', { tokenHash: 'yours', scope: 'admin' as const });
    const asked = [mine.ask('initialize', params), yours.ask('initialize', params)];
    await host.run();
    expect(mine.answerTo(asked[0] ?? 0)?.error).toBeUndefined();
    expect(yours.answerTo(asked[1] ?? 0)?.error?.code).toBe(-32009);
    expect(mine.closed).toBeUndefined();
  });
});

describe('an older version', () => {
  it('[CONN-9] gets no envelopes that it does not know, private ones included', async () => {
    const host = await startHost();
    const owner = await host.client();
    const { session, chat } = await host.session(owner);
    await runTurns(host, owner, chat, 30);
    const old = await host.client('old', { protocolVersions: ['0.5.0'] });
    await old.subscribe(session);
    await old.subscribe(chat, { view: { turns: 2 } });
    await old.request('fetchTurns', { channel: chat });
    await owner.act(chat, start('x'));
    const call = host.agent.turn.output.toolCall({ toolName: 'x', displayName: 'X' });
    void call.confirm({ invocationMessage: 'May I?' });
    await host.run();
    expect(old.types()).not.toContain('chat/turnsLoaded');
    expect(old.types()).not.toContain('session/inputNeededSet');
    expect(owner.types()).toContain('session/inputNeededSet');
    expect(old.types()).toContain('chat/toolCallReady');
  });

  it('[ACT-3] [CONN-9] gets every rejection', async () => {
    const host = await startHost();
    const owner = await host.client();
    const { session } = await host.session(owner);
    const old = await host.client('old', { protocolVersions: ['0.5.0'] });
    const echo = await old.act(session, { type: 'session/inputNeededRemoved', id: 'x' });
    expect(echo?.rejectionReason).toMatch(/^notDispatchable: /);
  });
});
