import { type ChatState, chatReducer } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { type HostFixture, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const names = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `t${from + index}`);

/** A chat with this many turns. With `asks` each has answered a question, which leaves a part of a newer version. */
async function setUp(count: number, { asks = false } = {}) {
  const host = await startHost();
  const writer = await host.client();
  const { session, chat } = await host.session(writer);
  for (const turnId of names(0, count)) await runTurn(host, writer, chat, { turnId, asks });
  return { host, writer, session, chat };
}

async function runTurn(
  host: HostFixture,
  client: RawClient,
  chat: string,
  { turnId, asks }: { turnId: string; asks: boolean },
): Promise<void> {
  await client.act(chat, turnStarted(turnId));
  await host.run();
  if (asks) {
    void host.agent.turn.output.ask({ requestId: `ask-${turnId}`, message: 'Go on?' });
    await host.run();
    await client.act(chat, { type: 'chat/inputCompleted', requestId: `ask-${turnId}`, response: 'accept' });
  }
  host.agent.turn.complete();
  await host.run();
}

/** A subscriber's state: its snapshot with the later actions. */
async function open(client: RawClient, chat: string, turns: number): Promise<() => ChatState> {
  const { state, fromSeq } = await client.subscribe(chat, { view: { turns } });
  if (!('turns' in state)) throw new Error('no chat');
  return () =>
    client
      .envelopes(chat)
      .filter(({ serverSeq }) => serverSeq > fromSeq)
      .reduce((shown, { action }) => chatReducer(shown, action), state);
}

const idsOf = ({ turns }: ChatState): string[] => turns.map(({ id }) => id);

describe('older turns', () => {
  test('[CHAT-15] by a session’s URI are those of its default chat, in both forms', async () => {
    const { host, session, chat } = await setUp(5);
    const reader = await host.client();
    const shown = await open(reader, chat, 2);
    expect(await reader.request('fetchTurns', { channel: session })).toEqual({});
    expect(idsOf(shown())).toEqual(names(0, 5));
    expect(await reader.request('fetchTurns', { channel: session, limit: 1 })).toMatchObject({
      turns: [{ id: 't4' }],
      hasMore: true,
    });
    await expect(reader.request('fetchTurns', { channel: 'ahp-session:/none' })).rejects.toMatchObject({
      code: -32008,
    });
  });

  test('[CHAT-15] come without a cursor too, and only into the window of the requesting client', async () => {
    const { host, writer, chat } = await setUp(6);
    const reader = await host.client();
    const shown = await open(reader, chat, 2);
    const other = await host.client();
    const others = await open(other, chat, 1);
    writer.clear();
    await reader.request('fetchTurns', { channel: chat });
    expect([idsOf(shown()), shown().turnsNextCursor]).toEqual([names(0, 6), undefined]);
    expect([idsOf(others()), writer.envelopes()]).toEqual([['t5'], []]);
    // No turns are left: none are sent, and the request is answered.
    reader.clear();
    expect(await reader.request('fetchTurns', { channel: chat })).toEqual({});
    expect(reader.envelopes()).toEqual([]);
  });

  test('[CHAT-15] are not sent to a client without a subscription', async () => {
    const { host, chat } = await setUp(3);
    const stranger = await host.client();
    expect(await stranger.request('fetchTurns', { channel: chat })).toEqual({});
    expect(await stranger.request('fetchTurns', { channel: chat, cursor: 'before-2' })).toEqual({});
    expect(stranger.envelopes()).toEqual([]);
  });

  test('[CHAT-15] come once each for two simultaneous requests', async () => {
    const { host, chat } = await setUp(60);
    const reader = await host.client();
    const shown = await open(reader, chat, 1);
    const cursor = shown().turnsNextCursor ?? '';
    const asked = [cursor, cursor].map((each) => reader.ask('fetchTurns', { channel: chat, cursor: each }));
    for (const id of asked) await reader.answered(id);
    const present = idsOf(shown());
    expect(new Set(present).size).toBe(present.length);
    expect(present).toEqual(names(60 - present.length, 60));
  });

  test.each(['before-0', 'before-01', 'before-61', 'after-1', ''])(
    '[CHAT-15] by an unknown cursor (%j) are refused',
    async (cursor) => {
      const { host, chat } = await setUp(3);
      const reader = await host.client();
      await open(reader, chat, 1);
      await expect(reader.request('fetchTurns', { channel: chat, cursor })).rejects.toMatchObject({
        code: -32602,
      });
    },
  );

  test.each([0, -1, 1.5])('[CHAT-15] are refused for a limit of %d', async (limit) => {
    const { writer, chat } = await setUp(1);
    await expect(writer.request('fetchTurns', { channel: chat, limit })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test('[CHAT-15] come by turn id up to the first one, page by page, after a kill too', async () => {
    const { host, chat } = await setUp(60);
    await host.restart();
    const reader = await host.client();
    let found: string[] = [];
    for (let hasMore = true; hasMore; ) {
      const before = found[0];
      const page = await reader.request('fetchTurns', {
        channel: chat,
        limit: 25,
        ...defined({ before }),
      });
      found = [...(page.turns ?? []).map(({ id }) => id), ...found];
      hasMore = page.hasMore === true;
    }
    expect(found).toEqual(names(0, 60));
    expect(reader.envelopes()).toEqual([]);
  });

  test('[CHAT-15] [CHAT-6] come up to a truncation outside of the window, and the cursor continues from there', async () => {
    const { host, writer, chat } = await setUp(60);
    const reader = await host.client();
    const shown = await open(reader, chat, 2);
    await writer.act(chat, { type: 'chat/truncated', turnId: 't9' });
    await host.run();
    expect(idsOf(shown())).toEqual(['t8', 't9']);
    await reader.request('fetchTurns', { channel: chat, cursor: shown().turnsNextCursor ?? '' });
    expect([idsOf(shown()), shown().turnsNextCursor]).toEqual([names(0, 10), undefined]);
    // Truncated turns are no longer valid positions.
    for (const gone of [{ cursor: 'before-40' }, { before: 't40' }]) {
      await expect(reader.request('fetchTurns', { channel: chat, ...gone })).rejects.toMatchObject({
        code: -32602,
      });
    }
  });
});

describe('an older client', () => {
  test('[CHAT-15] [CONN-9] gets older turns without the parts that it does not know, in both forms', async () => {
    const { host, chat } = await setUp(4, { asks: true });
    const present = await host.client();
    const old = await host.client('old', { protocolVersions: ['0.5.1'] });
    const [now, then] = [await open(present, chat, 1), await open(old, chat, 1)];
    for (const client of [present, old]) await client.request('fetchTurns', { channel: chat });
    const kinds = ({ turns }: Pick<ChatState, 'turns'>) =>
      turns.map(({ responseParts }) => responseParts.map(({ kind }) => kind));
    expect(kinds(now())).toEqual([['inputRequest'], ['inputRequest'], ['inputRequest'], ['inputRequest']]);
    expect(kinds(then())).toEqual([[], [], [], []]);
    const { turns = [] } = await old.request('fetchTurns', { channel: chat, limit: 9 });
    expect(kinds({ turns })).toEqual([[], [], [], []]);
  });

  test('[CHAT-15] of 0.5.0 gets pages by turn id', async () => {
    const { host, chat } = await setUp(4);
    const old = await host.client('old', { protocolVersions: ['0.5.0'] });
    expect(await old.request('fetchTurns', { channel: chat, before: 't2' })).toMatchObject({
      turns: [{ id: 't0' }, { id: 't1' }],
      hasMore: false,
    });
  });

  test('[CHAT-15] [CONN-9] of 0.5.0 gets the last turns in the answer if it names no turn, and its window stays', async () => {
    const { host, writer, chat } = await setUp(4);
    const old = await host.client('old', { protocolVersions: ['0.5.0'] });
    await old.subscribe(chat, { view: { turns: 1 } });
    old.clear();
    expect(await old.request('fetchTurns', { channel: chat })).toMatchObject({
      turns: [{ id: 't0' }, { id: 't1' }, { id: 't2' }, { id: 't3' }],
      hasMore: false,
    });
    // The public action alone would truncate a window that had grown.
    await writer.act(chat, { type: 'chat/truncated', turnId: 't1' });
    await host.run();
    expect(old.envelopes(chat).map(({ action }) => action)).toMatchObject([
      { type: 'chat/truncated' },
      { type: 'chat/truncated', turnId: 't1' },
    ]);
  });
});
