import { chatReducer } from '@agenthost/protocol';
import { markdownOf, turnStarted } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { ROOT, startHost } from './host-fixture.ts';
import { chatOf } from './in-turn.ts';
import { runTurns, turnIds } from './turns.ts';

const draft = (text: string) => ({ type: 'chat/draftChanged', draft: { text, origin: { kind: 'user' } } });

describe('subscribe', () => {
  test('[SUB-1] subscribing again returns a fresh snapshot, and each envelope still comes once', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session } = await host.session(client);
    await client.act(session, { type: 'session/titleChanged', title: 'new' });
    expect((await client.subscribe(session)).state).toMatchObject({ title: 'new' });
    const other = await host.client();
    client.clear();
    await other.act(session, { type: 'session/titleChanged', title: 'newer' });
    await host.run();
    expect(client.types(session)).toEqual(['session/titleChanged']);
  });

  test('[SUB-1] subscribing again replaces view and delivery, even if they are absent', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, turnIds(3));
    const widths: number[] = [];
    for (const view of [{ turns: 1 }, { turns: 2 }, undefined]) {
      const delivery = view === undefined ? {} : { delivery: { maxLatencyMs: 50 } };
      const options = view === undefined ? {} : { view, ...delivery };
      widths.push((await chatOf(client, chat, options)).turns.length);
    }
    expect(widths).toEqual([1, 2, 3]);
    await client.act(chat, turnStarted('now'));
    await host.run();
    client.clear();
    for (const text of ['a', 'b', 'c']) {
      void host.agent.turn.output.markdown(text);
      await host.run();
    }
    expect(client.types(chat), 'nothing waits, and nothing merges').toEqual([
      'chat/responsePart',
      'chat/delta',
      'chat/delta',
      'chat/delta',
    ]);
  });

  test('[SUB-1] a subscription belongs to one connection and one channel', async () => {
    const host = await startHost();
    const [client, other] = [await host.client(), await host.client()];
    const { session, chat } = await host.session(client);
    await runTurns(host, client, chat, turnIds(2));
    await chatOf(client, chat, { view: { turns: 1 } });
    expect((await chatOf(other, chat)).turns).toHaveLength(2);
    client.clear();
    other.clear();
    await client.act(session, { type: 'session/titleChanged', title: 'new' });
    await host.run();
    expect(client.types(session)).toEqual(['session/titleChanged']);
    expect(other.types(session)).toEqual([]);
  });

  test.each([
    ['ahp-session:/none', -32001],
    ['ahp-session:/none/annotations', -32001],
    ['demo:/0d5c', -32001],
    ['ahp-chat:/none', -32008],
    ['ahp-terminal:/none', -32008],
    ['ahp-changeset:/none', -32008],
  ])('[SUB-1] [WIRE-3] the unknown channel %s answers %i', async (channel, code) => {
    const host = await startHost();
    const client = await host.client();
    await expect(client.subscribe(channel)).rejects.toMatchObject({ code });
  });

  test('[SUB-1] a connection has at most 256 subscriptions, and may renew one of them', async () => {
    const host = await startHost();
    const client = await host.client();
    const chats: string[] = [];
    await client.request('createSession', { channel: 'ahp-session:/many' });
    await host.run();
    for (let count = 0; count < 256; count += 1) {
      const chat = `ahp-chat:/${count}`;
      await client.request('createChat', { channel: 'ahp-session:/many', chat });
      chats.push(chat);
    }
    for (const chat of chats) await client.subscribe(chat);
    await expect(client.subscribe(ROOT)).rejects.toMatchObject({ code: -32602 });
    await client.subscribe('ahp-chat:/0');
  });

  test('[SUB-2] after unsubscribe only echoes of own dispatches come from the channel', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    const other = await host.client();
    client.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel: chat } });
    await client.ping();
    client.clear();
    await other.act(chat, draft('theirs'));
    await client.act(chat, draft('mine'));
    await other.act(session, { type: 'session/titleChanged', title: 'still' });
    await host.run();
    expect(client.envelopes().map(({ channel, origin }) => [channel, origin?.clientId])).toEqual([
      [chat, client.clientId],
      [session, other.clientId],
    ]);
  });
});

describe('windows', () => {
  test('[SUB-3] view.turns gives the last turns and a cursor exactly if there are older ones; other clients see all', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, turnIds(5));
    const windowed = await host.client();
    const two = await chatOf(windowed, chat, { view: { turns: 2 } });
    expect(two.turns.map(({ id }) => id)).toEqual(['t4', 't5']);
    expect(two.turnsNextCursor).toBeDefined();
    const five = await chatOf(windowed, chat, { view: { turns: 5 } });
    expect([five.turns.length, five.turnsNextCursor]).toEqual([5, undefined]);
    const none = await chatOf(windowed, chat, { view: { turns: 0 } });
    expect([none.turns.length, none.turnsNextCursor !== undefined]).toEqual([0, true]);
    const all = await chatOf(client, chat);
    expect([all.turns.length, all.turnsNextCursor]).toEqual([5, undefined]);
  });

  test('[SUB-3] [CHAT-15] a chat that exceeds its window in memory is read whole, from memory and disk', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, turnIds(95));
    expect(host.host.core.sync.registry.getOf('chat', chat)?.state.turns.length).toBeLessThan(60);
    const state = await chatOf(client, chat);
    expect(state.turns.map(({ id }) => id)).toEqual(turnIds(95));
    await host.restart();
    const again = await host.client();
    expect((await chatOf(again, chat)).turns.map((turn) => markdownOf(turn))).toEqual(turnIds(95));
  });

  test('[SUB-3] all snapshots of one response share 32 MiB of turns, and each has a cursor to the rest', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    const chats = [chat, ...turnIds(5).map((id) => `ahp-chat:/${id}`)];
    for (const uri of chats.slice(1)) await client.request('createChat', { channel: session, chat: uri });
    const text = 'x'.repeat(2 * 1024 * 1024);
    for (const uri of chats) {
      for (const id of turnIds(3)) {
        await client.act(uri, turnStarted(id));
        await host.run();
        void host.agent.turn.output.markdown(text);
        host.agent.turn.complete();
        await host.run();
      }
    }
    const viewer = host.connect();
    const { snapshots } = await viewer.initialize({ initialSubscriptions: chats });
    const sizes = snapshots.map(({ state }) => JSON.stringify('turns' in state ? state.turns : []).length);
    expect(sizes).toHaveLength(6);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(32 * 1024 * 1024);
    for (const { state } of snapshots) expect(state).toHaveProperty('turnsNextCursor');
    expect(await chatOf(viewer, chat)).not.toHaveProperty('turnsNextCursor');
  });

  test('[SUB-3] running turns that are too large for one response are left out of it, and come in a response of their own', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    const chats = [chat, ...turnIds(3).map((id) => `ahp-chat:/${id}`)];
    for (const uri of chats.slice(1)) await client.request('createChat', { channel: session, chat: uri });
    for (const uri of chats) {
      await client.act(uri, turnStarted('runs'));
      await host.run();
      for (let count = 0; count < 10; count += 1)
        void host.agent.turn.output.markdown('x'.repeat(1024 * 1024));
      await host.run();
    }
    const viewer = host.connect();
    const { snapshots } = await viewer.initialize({ initialSubscriptions: [...chats, session] });
    expect(snapshots.map(({ resource }) => resource)).toEqual([...chats.slice(0, 2), session]);
    for (const uri of chats) expect(await chatOf(viewer, uri)).toHaveProperty('activeTurn.id', 'runs');
  });

  test('[SUB-3] drafts and queues that are too large for one response are left out of it, and come in a response of their own', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    const chats = [chat, ...turnIds(11).map((id) => `ahp-chat:/${id}`)];
    for (const uri of chats.slice(1)) await client.request('createChat', { channel: session, chat: uri });
    const message = { text: 'x'.repeat(1024 * 1024 - 1_000), origin: { kind: 'user' as const } };
    for (const uri of chats) {
      await client.act(uri, turnStarted('runs'));
      await client.act(uri, {
        type: 'chat/draftChanged',
        draft: { ...message, text: 'y'.repeat(1_000_000) },
      });
      for (const id of ['one', 'two'])
        await client.act(uri, { type: 'chat/pendingMessageSet', kind: 'queued', id, message });
    }
    await host.run();
    const viewer = host.connect();
    const { snapshots } = await viewer.initialize({ initialSubscriptions: chats });
    expect(snapshots.map(({ resource }) => resource)).toEqual(chats.slice(0, 8));
    for (const uri of chats) expect((await chatOf(viewer, uri)).queuedMessages).toHaveLength(2);
  });

  test('[SUB-3] turns larger than a share of one response come if there is room; the others come by their cursor', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    const chats = [chat, ...turnIds(7).map((id) => `ahp-chat:/${id}`)];
    for (const uri of chats.slice(1)) await client.request('createChat', { channel: session, chat: uri });
    for (const uri of chats) {
      await client.act(uri, turnStarted('large'));
      await host.run();
      for (let count = 0; count < 7; count += 1)
        void host.agent.turn.output.markdown('x'.repeat(1024 * 1024));
      host.agent.turn.complete();
      await host.run();
    }
    const viewer = host.connect();
    const { snapshots } = await viewer.initialize({ initialSubscriptions: chats });
    expect(JSON.stringify(snapshots).length).toBeLessThan(32 * 1024 * 1024);
    const shown = snapshots.map(({ state }) => ('turns' in state ? state.turns.length : -1));
    expect(shown).toEqual([1, 1, 0, 0, 0, 0, 0, 0]);
    for (const { state } of snapshots.slice(2)) expect(state).toHaveProperty('turnsNextCursor');
    expect((await chatOf(viewer, chats[5] ?? '')).turns).toHaveLength(1);
  });

  test('[CHAT-15] fetchTurns sends older turns, then answers; the cursor survives a restart, an unknown one is -32602', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, turnIds(60));
    const before = await chatOf(client, chat, { view: { turns: 3 } });
    const cursor = before.turnsNextCursor ?? '';
    await host.restart();
    const again = await host.client();
    let state = await chatOf(again, chat, { view: { turns: 3 } });
    again.clear();
    const id = again.ask('fetchTurns', { channel: chat, cursor });
    expect(await again.answered(id)).toEqual({});
    expect(again.frames.map((frame) => frame.params?.action.type ?? frame.id)).toEqual([
      'chat/turnsLoaded',
      id,
    ]);
    for (const { action } of again.envelopes(chat)) state = chatReducer(state, action);
    for (; state.turnsNextCursor !== undefined; again.clear()) {
      again.clear();
      await again.request('fetchTurns', { channel: chat, cursor: state.turnsNextCursor });
      for (const { action } of again.envelopes(chat)) state = chatReducer(state, action);
    }
    expect(state.turns.map((turn) => turn.id)).toEqual(turnIds(60));
    await expect(again.request('fetchTurns', { channel: chat, cursor: 'rubbish' })).rejects.toMatchObject({
      code: -32602,
    });
  });

  test('[CHAT-15] a cursor of an earlier, longer window brings the turns before the current window, without a gap', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, turnIds(9));
    const long = await chatOf(client, chat, { view: { turns: 6 } });
    const short = await chatOf(client, chat, { view: { turns: 2 } });
    client.clear();
    await client.request('fetchTurns', { channel: chat, cursor: long.turnsNextCursor ?? '' });
    const state = client.envelopes(chat).reduce((before, { action }) => chatReducer(before, action), short);
    expect(state.turns.map(({ id }) => id)).toEqual(turnIds(9));
  });

  test('[CHAT-15] a cursor of an earlier, shorter window brings the turns before the current window, and the cursor to those before them', async () => {
    const host = await startHost();
    const client = await host.client();
    const { chat } = await host.session(client);
    await runTurns(host, client, chat, turnIds(120));
    const short = await chatOf(client, chat, { view: { turns: 2 } });
    for (const [turns, shown] of [
      [60, 110],
      [200, 120],
    ] as const) {
      const long = await chatOf(client, chat, { view: { turns } });
      client.clear();
      await client.request('fetchTurns', { channel: chat, cursor: short.turnsNextCursor ?? '' });
      const state = client.envelopes(chat).reduce((before, { action }) => chatReducer(before, action), long);
      expect(state.turns.map(({ id }) => id)).toEqual(turnIds(120).slice(-shown));
      expect(state.turnsNextCursor).toBe(shown === 120 ? undefined : 'before-10');
    }
  });

  test('[CHAT-15] with before or limit the turns are in the answer; without a window there is nothing to send', async () => {
    const host = await startHost();
    const client = await host.client();
    const { session, chat } = await host.session(client);
    await runTurns(host, client, chat, turnIds(5));
    client.clear();
    expect(await client.request('fetchTurns', { channel: chat })).toEqual({});
    expect(client.envelopes()).toEqual([]);
    const page = await client.raw<{ turns: { id: string }[]; hasMore: boolean }>('fetchTurns', {
      channel: session,
      before: 't4',
      limit: 2,
    });
    expect([page.turns.map(({ id }) => id), page.hasMore]).toEqual([['t2', 't3'], true]);
    const rest = await client.raw<{ turns: { id: string }[]; hasMore: boolean }>('fetchTurns', {
      channel: chat,
      before: 't2',
    });
    expect([rest.turns.map(({ id }) => id), rest.hasMore]).toEqual([['t1'], false]);
  });
});

describe('delivery', () => {
  async function running(maxLatencyMs: number) {
    const host = await startHost();
    const client = await host.client();
    const { chat, session } = await host.session(client);
    await client.act(chat, turnStarted('t1'));
    await host.run();
    await host.agent.turn.output.markdown('.');
    await host.run();
    const late = await host.client();
    await late.subscribe(session);
    const state = await chatOf(late, chat, { delivery: { maxLatencyMs } });
    late.clear();
    client.clear();
    return { host, client, late, chat, session, state };
  }

  test('[SUB-4] neighbouring appends are sent as one within the delay, under the last number, and reduce to the same', async () => {
    const { host, client, late, chat, state } = await running(100);
    for (const text of ['a', 'b', 'c']) {
      void host.agent.turn.output.markdown(text);
      await host.run();
    }
    expect(late.envelopes()).toEqual([]);
    await host.advance(100);
    expect(late.types()).toEqual(['chat/delta']);
    expect(late.envelopes()[0]?.serverSeq).toBe(client.envelopes(chat).at(-1)?.serverSeq);
    const end = late.envelopes(chat).reduce((seen, { action }) => chatReducer(seen, action), state);
    expect(markdownOf(end.activeTurn)).toBe('.abc');
  });

  test('[SUB-4] any other envelope, and any response, first flushes the held output', async () => {
    const { host, client, late, chat, session } = await running(10_000);
    void host.agent.turn.output.markdown('a');
    await host.run();
    await client.act(session, { type: 'session/titleChanged', title: 'x' });
    await host.run();
    expect(late.types()).toEqual(['chat/delta', 'session/titleChanged']);
    void host.agent.turn.output.markdown('b');
    await host.run();
    const id = late.ask('ping', { channel: ROOT });
    await late.answered(id);
    expect(late.types(chat)).toEqual(['chat/delta', 'chat/delta']);
    expect(late.frames.at(-1)?.id).toBe(id);
  });

  test('[SUB-4] without a delay each append is sent with its tick, unmerged, and replays are not merged either', async () => {
    const { host, client, late, chat, session } = await running(10_000);
    const lastSeen = client.envelopes().at(-1)?.serverSeq ?? (await client.subscribe(session)).fromSeq;
    for (const text of ['a', 'b', 'c']) {
      void host.agent.turn.output.markdown(text);
      await host.run();
    }
    expect(client.types(chat)).toEqual(['chat/delta', 'chat/delta', 'chat/delta']);
    late.link.cut();
    await host.run();
    const result = await host.connect(late.clientId).reconnect(lastSeen, [session, chat]);
    if (result.type !== 'replay') throw new Error('expected a replay');
    expect(result.actions.map(({ action }) => action.type)).toEqual([
      'chat/delta',
      'chat/delta',
      'chat/delta',
    ]);
  });
});
