import type { ChatMoveDestination, SessionState } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { ROOT, SESSION, startHost } from './host-fixture.ts';
import { chatOf } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';
import { runTurns } from './turns.ts';

const [TWO, THREE, OTHER] = ['ahp-chat:/two', 'ahp-chat:/three', 'ahp-session:/other'];

async function sessionOf(client: RawClient, uri: string): Promise<SessionState> {
  const { state } = await client.subscribe(uri);
  if (!('activeClients' in state)) throw new Error(`${uri} is no session`);
  return state;
}

const chatsOf = async (client: RawClient, uri: string): Promise<string[]> =>
  (await sessionOf(client, uri)).chats.map(({ resource }) => resource);

const move = (client: RawClient, channel: string, destination: ChatMoveDestination) =>
  client.request('moveChat', { channel, destination });

/** Two sessions; the first has the chats `two` and `three` beside its default chat. */
async function twoSessions() {
  const host = await startHost();
  const client = await host.client();
  const { session, chat } = await host.session(client);
  for (const uri of [TWO, THREE]) await client.request('createChat', { channel: session, chat: uri });
  const other = await host.session(client, OTHER);
  for (const uri of [ROOT, TWO, THREE]) await client.subscribe(uri);
  client.clear();
  return { host, client, session, chat, otherChat: other.chat };
}

const to = (session: string, after?: string): ChatMoveDestination => ({
  kind: 'session',
  session,
  ...(after === undefined ? {} : { after }),
});

describe('moveChat', () => {
  test('[SESS-29] within a session only the order changes', async () => {
    const { client, session, chat } = await twoSessions();
    expect(await move(client, THREE, to(session, chat))).toEqual({ session });
    expect(await chatsOf(client, session)).toEqual([chat, THREE, TWO]);
    expect(client.types(session)).toEqual(['session/chatsReordered']);
    await move(client, TWO, to(session));
    expect(await chatsOf(client, session)).toEqual([TWO, chat, THREE]);
    expect((await sessionOf(client, session)).defaultChat).toBe(chat);
  });

  test('[SESS-29] [ROOT-2] a session without messages is listed when a chat moves into it, and stays when its client is gone', async () => {
    const { host, client } = await twoSessions();
    const other = await host.client('other');
    const hidden = 'ahp-session:/hidden';
    await other.request('createSession', { channel: hidden, provider: 'puppet', 'x-unlisted': true });
    await host.run();
    expect(client.notifications('root/sessionAdded')).toEqual([]);
    await move(client, TWO, to(hidden));
    expect(client.notifications('root/sessionAdded')).toMatchObject([{ summary: { resource: hidden } }]);
    other.link.cut();
    await host.advance(3_600_000);
    expect(await chatsOf(client, hidden)).toContain(TWO);
  });

  test('[SESS-29] to another session the chat goes with its turns and subscriptions, and stays there after a restart', async () => {
    const { host, client, session, chat, otherChat } = await twoSessions();
    await runTurns(host, client, TWO, ['t1']);
    const before = await chatOf(client, TWO);
    client.clear();
    expect(await move(client, TWO, to(OTHER, otherChat))).toEqual({ session: OTHER });
    expect(client.types(session)).toEqual(['session/chatRemoved']);
    expect(client.types(OTHER)).toEqual(['session/chatAdded']);
    expect(client.envelopes(TWO)).toEqual([]);
    expect(await chatsOf(client, session)).toEqual([chat, THREE]);
    expect(await chatsOf(client, OTHER)).toEqual([otherChat, TWO]);
    const changed = client.notifications('root/sessionSummaryChanged');
    for (const uri of [session, OTHER])
      expect(changed).toContainEqual(
        expect.objectContaining({
          session: uri,
          changes: expect.objectContaining({ chats: expect.anything() }),
        }),
      );
    // The subscription goes on.
    await client.act(TWO, turnStarted('t2'));
    await host.run();
    expect(client.types(TWO)).toContain('chat/turnStarted');
    expect(client.types(OTHER)).toContain('session/chatUpdated');
    host.agent.turn.complete();
    await host.run();
    await host.restart();
    const again = await host.client();
    expect(await chatsOf(again, OTHER)).toEqual([otherChat, TWO]);
    expect((await chatOf(again, TWO)).turns.map(({ id }) => id)).toEqual(['t1', 't2']);
    expect((await chatOf(again, TWO)).origin).toEqual(before.origin);
    await again.request('disposeSession', { channel: session });
    expect((await chatOf(again, TWO)).turns).toHaveLength(2);
    await again.request('disposeSession', { channel: OTHER });
    await expect(again.subscribe(TWO)).rejects.toMatchObject({ code: -32008 });
  });

  test('[SESS-29] without an anchor the chat comes to the front', async () => {
    const { client, otherChat } = await twoSessions();
    await move(client, TWO, to(OTHER));
    expect(client.types(OTHER)).toEqual(['session/chatAdded', 'session/chatsReordered']);
    expect(await chatsOf(client, OTHER)).toEqual([TWO, otherChat]);
  });

  test('[SESS-29] worker chats go with the chat that they work for', async () => {
    const { host, client, session, otherChat } = await twoSessions();
    await client.act(TWO, turnStarted('t1'));
    await host.run();
    const { output } = host.agent.turn;
    output.toolCall({ toolCallId: 'c', toolName: 'x', displayName: 'X' }).run({ invocationMessage: 'x' });
    const worker = output.spawnChat({ toolCallId: 'c', title: 'Worker' });
    host.agent.turn.complete();
    await host.run();
    await expect(move(client, worker.uri, to(OTHER))).rejects.toMatchObject({ code: -32602 });
    await move(client, TWO, to(OTHER, otherChat));
    expect(await chatsOf(client, session)).not.toContain(worker.uri);
    expect(await chatsOf(client, OTHER)).toEqual([otherChat, TWO, worker.uri]);
    await host.restart();
    expect((await chatOf(await host.client(), worker.uri)).origin).toMatchObject({ kind: 'tool', chat: TWO });
  });

  test('[SESS-29] in a new session the chat is the default chat and no longer movable', async () => {
    const { host, client, session } = await twoSessions();
    await runTurns(host, client, TWO, ['Ship it']);
    client.clear();
    const made = await move(client, TWO, { kind: 'newSession' });
    expect(made.session).not.toBe(session);
    const state = await sessionOf(client, made.session);
    expect(state).toMatchObject({
      lifecycle: 'ready',
      defaultChat: TWO,
      title: 'prompt of Ship it',
      chats: [{ resource: TWO, movable: false }],
    });
    expect(client.notifications('root/sessionAdded')).toMatchObject([
      { summary: { resource: made.session, defaultChat: TWO, chats: [{ resource: TWO }] } },
    ]);
    expect(client.types(TWO)).toEqual(['chat/movableChanged']);
    expect((await chatOf(client, TWO)).movable).toBe(false);
    await expect(move(client, TWO, to(OTHER))).rejects.toMatchObject({ code: -32602 });
    await host.restart();
    const again = await host.client();
    expect(await sessionOf(again, made.session)).toEqual(state);
    await runTurns(host, again, TWO, ['later']);
    expect((await chatOf(again, TWO)).turns).toHaveLength(2);
  });

  test('[SESS-29] what cannot be moved is refused, and nothing changes', async () => {
    const { host, client, session, chat, otherChat } = await twoSessions();
    const refused = (channel: string, destination: ChatMoveDestination, code: number) =>
      expect(move(client, channel, destination)).rejects.toMatchObject({ code });
    const before = await sessionOf(client, session);
    await refused('ahp-chat:/none', to(OTHER), -32008);
    await refused(TWO, to('ahp-session:/none'), -32001);
    await refused(chat, to(OTHER), -32602);
    await refused(chat, to(session, TWO), -32602);
    await refused(TWO, to(session, TWO), -32602);
    await refused(TWO, to(session, otherChat), -32602);
    await refused(TWO, to(OTHER, THREE), -32602);
    await client.act(TWO, turnStarted('t1'));
    await host.run();
    await refused(TWO, to(OTHER), -32004);
    await refused(TWO, { kind: 'newSession' }, -32004);
    host.agent.turn.complete();
    await host.run();
    expect((await sessionOf(client, session)).chats.map(({ resource }) => resource)).toEqual(
      before.chats.map(({ resource }) => resource),
    );
  });

  test('[SESS-29] [ACT-8] a failed commit leaves everything as it was', async () => {
    const { host, client, session, otherChat } = await twoSessions();
    const before = await sessionOf(client, session);
    for (const destination of [to(OTHER), { kind: 'newSession' } as const]) {
      client.clear();
      host.journal.failNextCommits(1);
      const asked = client.ask('moveChat', { channel: TWO, destination });
      await host.run();
      expect(client.answerTo(asked)?.error?.code).toBe(-32603);
      expect(client.envelopes()).toEqual([]);
      await host.advance(2_000);
      expect(await sessionOf(client, session)).toEqual(before);
      expect(await chatsOf(client, OTHER)).toEqual([otherChat]);
    }
    await move(client, TWO, to(OTHER));
    expect(await chatsOf(client, OTHER)).toEqual([TWO, otherChat]);
  });

  test('[CHAT-45] the flag follows the default chat, of chats in memory and on disk', async () => {
    const { host, client, session, chat } = await twoSessions();
    expect((await sessionOf(client, session)).chats.map(({ movable }) => movable)).toEqual([
      undefined,
      true,
      true,
    ]);
    await host.restart();
    const again = await host.client();
    await again.subscribe(session);
    await again.request('disposeChat', { channel: chat });
    const state = await sessionOf(again, session);
    expect(state.defaultChat).toBe(TWO);
    expect(state.chats.map(({ movable }) => movable)).toEqual([false, true]);
    expect((await chatOf(again, TWO)).movable).toBe(false);
  });
});

describe('flags of a chat', () => {
  test('[CHAT-42] [ROOT-22] reading and archiving a chat show in the session and in its entry, and leave the session alone', async () => {
    const { host, client, session, chat } = await twoSessions();
    expect(
      (await client.act(TWO, { type: 'chat/isReadChanged', isRead: true }))?.rejectionReason,
    ).toBeUndefined();
    await client.act(TWO, { type: 'chat/isArchivedChanged', isArchived: true });
    expect((await chatOf(client, TWO)).status).toBe(1 + 32 + 64);
    const state = await sessionOf(client, session);
    expect(state.chats.map(({ status }) => status & 96)).toEqual([0, 96, 0]);
    expect(state.status & 96).toBe(0);
    expect(client.notifications('root/sessionSummaryChanged').at(-1)).toMatchObject({
      session,
      changes: { chats: [{ resource: chat }, { resource: TWO, status: 1 + 32 + 64 }, { resource: THREE }] },
    });
    await runTurns(host, client, TWO, ['t1']);
    expect((await chatOf(client, TWO)).status).toBe(1 + 64);
    const rejected = await client.act(chat, { type: 'chat/isArchivedChanged', isArchived: true });
    expect(rejected?.rejectionReason).toMatch(/^defaultChat: /);
    await host.restart();
    expect((await chatOf(await host.client(), TWO)).status).toBe(1 + 64);
  });

  test('[ROOT-21] an entry lists the chats of its session in their order, with the default chat', async () => {
    const { client, chat, otherChat } = await twoSessions();
    const { items } = await client.request('listSessions', { channel: ROOT });
    const entry = items.find(({ resource }) => resource === SESSION);
    expect(entry?.defaultChat).toBe(chat);
    expect(entry?.chats).toEqual(
      [chat, TWO, THREE].map((resource) => ({ resource, title: '', status: 1, origin: { kind: 'user' } })),
    );
    expect(items.find(({ resource }) => resource === OTHER)?.chats).toHaveLength(1);
    expect(otherChat).not.toBe(chat);
  });

  test('[ROOT-22] the list is always whole: a session with too many chats has none', async () => {
    const { client, session } = await twoSessions();
    client.clear();
    for (let count = 0; count < 200; count += 1)
      await client.request('createChat', { channel: session, chat: `ahp-chat:/${count}` });
    const lists = client
      .notifications('root/sessionSummaryChanged')
      .flatMap((params) => (params as { changes: { chats?: unknown[] } }).changes.chats ?? []);
    expect(lists.length).toBeGreaterThan(0);
    const last = client
      .notifications('root/sessionSummaryChanged')
      .findLast((params) => Object.hasOwn((params as { changes: object }).changes, 'chats'));
    expect(last).toMatchObject({ changes: { chats: [] } });
    const { items } = await client.request('listSessions', { channel: ROOT });
    expect(items.find(({ resource }) => resource === SESSION)).not.toHaveProperty('chats');
  });
});

test('[DIA-4] moveChat and automations are unknown to older versions and to hosts without automations', async () => {
  const { host, client } = await twoSessions();
  const old = await host.client('old', { protocolVersions: ['0.9.0'] });
  await expect(move(old, TWO, { kind: 'newSession' })).rejects.toMatchObject({ code: -32601 });
  const automations = 'ahp-automations://' as const;
  await expect(
    client.request('runAutomation', {
      channel: automations,
      automation: 'ahp-automation:/a',
      requestId: 'r',
    }),
  ).rejects.toMatchObject({ code: -32601 });
  await expect(client.subscribe(automations)).rejects.toMatchObject({ code: -32008 });
  await expect(client.subscribe('ahp-canvas:/a')).rejects.toMatchObject({ code: -32008 });
});

test('[CHAT-46] [CONN-22] a chat lists its running worker chats, and none after the host was killed', async () => {
  const { host, client } = await twoSessions();
  await client.act(TWO, turnStarted('t1'));
  await host.run();
  const { output } = host.agent.turn;
  output.toolCall({ toolCallId: 'c', toolName: 'x', displayName: 'X' }).run({ invocationMessage: 'x' });
  const worker = output.spawnChat({ toolCallId: 'c', title: 'Worker' });
  const turn = worker.turn('go');
  await host.run();
  const entry = { kind: 'subagent', id: worker.uri, label: 'Worker', chat: worker.uri };
  expect((await chatOf(client, TWO)).backgroundWork).toMatchObject([entry]);
  turn.end();
  await host.run();
  expect((await chatOf(client, TWO)).backgroundWork).toEqual([]);
  worker.turn('again');
  await host.run();
  expect((await chatOf(client, TWO)).backgroundWork).toMatchObject([entry]);
  host.kill();
  await host.start();
  expect((await chatOf(await host.client(), TWO)).backgroundWork).toEqual([]);
});
