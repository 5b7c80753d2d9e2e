import { type ActionEnvelope, type ChatState, chatReducer } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { type HostFixture, startHost } from './host-fixture.ts';
import { chatOf } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';
import { runTurns, turnIds } from './turns.ts';

/** The interval of maintenance, a minute. It drops turns in its first run, and then once an hour. */
const LOOK_MS = 61_000;

const reduced = (state: ChatState, envelopes: readonly ActionEnvelope[]): ChatState =>
  envelopes.reduce((seen, { action }) => chatReducer(seen, action), state);

const ids = ({ turns }: ChatState): string[] => turns.map(({ id }) => id);

/** A client with a view of one turn that has loaded all others, and its state. */
async function widened(host: HostFixture, chat: string): Promise<{ viewer: RawClient; state: ChatState }> {
  const viewer = await host.client('viewer');
  const narrow = await chatOf(viewer, chat, { view: { turns: 1 } });
  await viewer.request('fetchTurns', { channel: chat, cursor: narrow.turnsNextCursor ?? '' });
  return { viewer, state: reduced(narrow, viewer.envelopes(chat)) };
}

async function comeBack(host: HostFixture, viewer: RawClient, chat: string, how: string) {
  const lastSeen = Math.max(...viewer.envelopes().map(({ serverSeq }) => serverSeq));
  viewer.link.cut();
  await host.run();
  if (how === 'a kill') await host.restart();
  const back = host.connect('viewer');
  const result = await back.reconnect(lastSeen, [chat]);
  if (result.type !== 'replay') throw new Error('expected a replay');
  return { back, result };
}

describe('a window that its client has widened', () => {
  test.each(['a drop', 'a kill'])(
    '[CHAT-15] [CHAT-6] loses the turns that retention drops after %s',
    async (how) => {
      const host = await startHost({ retention: { turnsPerChat: 3 } });
      const writer = await host.client('writer');
      const { chat } = await host.session(writer);
      await runTurns(host, writer, chat, turnIds(6));
      const { viewer, state } = await widened(host, chat);
      expect(ids(state)).toEqual(turnIds(6));
      const { back, result } = await comeBack(host, viewer, chat, how);
      await host.advance(LOOK_MS);
      const end = reduced(state, [...result.actions, ...back.envelopes(chat)]);
      expect(ids(end)).toEqual(['t4', 't5', 't6']);
    },
  );

  test.each(['a drop', 'a kill'])('[CHAT-15] continues to the turns before it after %s', async (how) => {
    const host = await startHost();
    const writer = await host.client('writer');
    const { chat } = await host.session(writer);
    await runTurns(host, writer, chat, turnIds(60));
    const { viewer, state } = await widened(host, chat);
    expect(ids(state)).toEqual(turnIds(60).slice(-51));
    const { back } = await comeBack(host, viewer, chat, how);
    await back.request('fetchTurns', { channel: chat, cursor: state.turnsNextCursor ?? '' });
    expect(ids(reduced(state, back.envelopes(chat)))).toEqual(turnIds(60));
  });

  test.each(['cut while it looks on', 'emptied while it looks on', 'emptied while it is away'])(
    '[CHAT-6] is known when its chat was %s, so that it loses the turns that retention drops',
    async (how) => {
      const host = await startHost({ retention: { turnsPerChat: 3 } });
      const writer = await host.client('writer');
      const { chat } = await host.session(writer);
      await runTurns(host, writer, chat, turnIds(20));
      const viewer = await host.client('viewer');
      const state = await chatOf(viewer, chat, { view: { turns: 3 } });
      const isAway = how === 'emptied while it is away';
      const cut = how === 'cut while it looks on' ? { turnId: 't5' } : {};
      const truncate = () => writer.act(chat, { type: 'chat/truncated', ...cut });
      if (!isAway) await truncate();
      await host.run();
      const { fromSeq } = await writer.subscribe(chat);
      const seen = viewer.envelopes(chat);
      viewer.link.cut();
      await host.run();
      if (isAway) await truncate();
      const back = host.connect('viewer');
      const result = await back.reconnect(fromSeq, [chat]);
      if (result.type !== 'replay') throw new Error('expected a replay');
      await runTurns(host, writer, chat, ['n1', 'n2']);
      if (how !== 'cut while it looks on') await runTurns(host, writer, chat, ['n3', 'n4']);
      await host.advance(LOOK_MS);
      const end = reduced(state, [...seen, ...result.actions, ...back.envelopes(chat)]);
      expect(ids(end)).toEqual(ids(await chatOf(writer, chat)));
      expect(end.turns).toHaveLength(3);
    },
  );

  test.each(['the turns', 'the answer'])(
    '[CONN-5] [CHAT-15] is sent as a snapshot to a client that lost %s',
    async (lost) => {
      const host = await startHost();
      const writer = await host.client('writer');
      const { chat } = await host.session(writer);
      await runTurns(host, writer, chat, turnIds(6));
      const viewer = await host.client('viewer');
      const { fromSeq } = await viewer.subscribe(chat, { view: { turns: 1 } });
      viewer.ask('fetchTurns', { channel: chat, cursor: 'before-5' });
      if (lost === 'the turns') viewer.link.toClient.swallow();
      await host.run();
      const lastSeen = Math.max(fromSeq, ...viewer.envelopes(chat).map(({ serverSeq }) => serverSeq));
      viewer.link.cut();
      await host.run();
      const result = await host.connect('viewer').reconnect(lastSeen, [chat]);
      expect(result.type).toBe(lost === 'the turns' ? 'snapshot' : 'replay');
    },
  );
});

test('[CONN-9] [CHAT-6] a window of a version that cannot receive turns is empty after a truncation before its first turn', async () => {
  const host = await startHost();
  const writer = await host.client('writer');
  const { chat } = await host.session(writer);
  await runTurns(host, writer, chat, turnIds(60));
  const old = await host.client('old', { protocolVersions: ['0.5.0'] });
  const state = await chatOf(old, chat, { view: { turns: 3 } });
  expect(state.turns).toHaveLength(3);
  await writer.act(chat, { type: 'chat/truncated', turnId: 't1' });
  await runTurns(host, writer, chat, ['new']);
  expect(ids(reduced(state, old.envelopes(chat)))).toEqual(['new']);
  await writer.act(chat, { type: 'chat/truncated', turnId: 't1' });
  await host.run();
  expect(ids(reduced(state, old.envelopes(chat)))).toEqual([]);
});
