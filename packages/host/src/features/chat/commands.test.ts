import type { ChatState, Snapshot } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { type HostFixture, SESSION, startHost } from '../../../test/host-fixture.ts';
import type { RawClient } from '../../../test/raw-client.ts';

/** Runs `count` turns to their end. */
async function runTurns(host: HostFixture, client: RawClient, chat: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const message = { text: `prompt ${index}`, origin: { kind: 'user' as const } };
    await client.act(chat, {
      type: 'chat/turnStarted',
      startedAt: '2026-06-01T00:00:00.000Z',
      turnId: `t${index}`,
      message,
    });
    await host.run();
    host.agent.turn.complete();
    await host.run();
  }
}

function chatOf({ state }: Snapshot): ChatState {
  if (!('turns' in state)) throw new Error('not a chat');
  return state;
}

it('[CHAT-1] of two clients that create the same chat at once, one gets the error that it exists', async () => {
  const host = await startHost();
  const clients = [await host.client(), await host.client()];
  const [first] = clients;
  if (first === undefined) throw new Error('no client');
  await host.session(first);
  const params = { channel: SESSION, chat: 'ahp-chat:/x' };
  const asked = clients.map((client) => client.ask('createChat', params));
  await host.run();
  const answers = clients.map((client, index) => client.answerTo(asked[index] ?? 0)?.error?.code);
  expect(answers.toSorted()).toStrictEqual([-32010, undefined]);
  expect(first.types(SESSION).filter((type) => type === 'session/chatAdded')).toHaveLength(1);
});

it('[CHAT-1] of two clients that dispose of a chat at once, one gets the error that it is gone', async () => {
  const host = await startHost();
  const clients = [await host.client(), await host.client()];
  const [first] = clients;
  if (first === undefined) throw new Error('no client');
  await host.session(first);
  await first.request('createChat', { channel: SESSION, chat: 'ahp-chat:/x' });
  const asked = clients.map((client) => client.ask('disposeChat', { channel: 'ahp-chat:/x' }));
  await host.run();
  const answers = clients.map((client, index) => client.answerTo(asked[index] ?? 0)?.error?.code);
  expect(answers.toSorted()).toStrictEqual([-32008, undefined]);
});

it('[CHAT-1] a chat of a session that is disposed of at the same moment is not made', async () => {
  const host = await startHost();
  const [first, second] = [await host.client(), await host.client()];
  await host.session(first);
  first.ask('disposeSession', { channel: SESSION });
  const asked = second.ask('createChat', { channel: SESSION, chat: 'ahp-chat:/x' });
  await host.run();
  expect(second.answerTo(asked)?.error?.code).toBe(-32001);
});

describe('older turns', () => {
  it('[CHAT-15] are sent page by page to the requesting client alone, and the cursors survive a restart', async () => {
    const host = await startHost();
    const writer = await host.client();
    const { chat } = await host.session(writer);
    await runTurns(host, writer, chat, 60);
    const reader = await host.client();
    const { turnsNextCursor: cursor } = chatOf(await reader.subscribe(chat, { view: { turns: 2 } }));
    await host.restart();
    const again = await host.client('again');
    await again.subscribe(chat, { view: { turns: 2 } });
    await again.request('fetchTurns', { channel: chat, ...(cursor === undefined ? {} : { cursor }) });
    const [loaded] = again.envelopes(chat);
    if (loaded?.action.type !== 'chat/turnsLoaded') throw new Error('no turns came');
    expect(loaded.action.turns.map(({ id }) => id)).toStrictEqual(
      Array.from({ length: 50 }, (_, index) => `t${index + 8}`),
    );
    await again.request('fetchTurns', {
      channel: chat,
      ...(loaded.action.turnsNextCursor === undefined ? {} : { cursor: loaded.action.turnsNextCursor }),
    });
    const last = again.envelopes(chat).at(-1)?.action;
    expect(last).toMatchObject({ type: 'chat/turnsLoaded' });
    expect(last).not.toHaveProperty('turnsNextCursor');
  });

  it('[CHAT-15] [SUB-1] are not sent when the subscription was renewed meanwhile', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, 30);
    await client.subscribe(chat, { view: { turns: 12 } });
    client.clear();
    const gate = Promise.withResolvers<void>();
    host.journal.gates.afterRead = () => gate.promise;
    const fetched = client.ask('fetchTurns', { channel: chat });
    await host.run();
    const subscribed = client.ask('subscribe', { channel: chat, view: { turns: 2 } });
    await host.run();
    host.journal.gates.afterRead = undefined;
    gate.resolve();
    await client.answered(subscribed);
    expect(await client.answered(fetched)).toStrictEqual({});
    // 18 older turns do not fit into a window of the last two.
    expect(client.types(chat)).not.toContain('chat/turnsLoaded');
  });

  it('[CHAT-15] an unknown cursor is refused', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    for (const cursor of ['x', 'before-', 'before-1', 'before--1']) {
      await expect(client.request('fetchTurns', { channel: chat, cursor })).rejects.toMatchObject({
        code: -32602,
      });
    }
  });

  it('[CHAT-15] pages by turn id report whether there are more', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    await runTurns(host, client, chat, 5);
    const page = { channel: session, before: 't3', limit: 2 };
    expect(await client.request('fetchTurns', page)).toMatchObject({
      turns: [{ id: 't1' }, { id: 't2' }],
      hasMore: true,
    });
    expect(await client.request('fetchTurns', { ...page, limit: 3 })).toMatchObject({ hasMore: false });
    await expect(client.request('fetchTurns', { ...page, before: 'nope' })).rejects.toMatchObject({
      code: -32602,
    });
  });
});
