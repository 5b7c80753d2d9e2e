import type { StateAction } from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { chatState, ROOT_URI, rootState, sessionState, turnOf } from '../../test/fake-host.ts';
import { failureOf, Harness, microtasks } from '../../test/harness.ts';
import { MAX_UNREAD_ACTIONS } from './mirror.ts';

const CHAT = 'ahp-chat:/a';
const activity = (text: string): StateAction => ({ type: 'chat/activityChanged', activity: text });

async function harness(turnCount = 0): Promise<Harness> {
  const it = new Harness();
  const turns = Array.from({ length: turnCount }, (_, index) => turnOf(`t${index}`));
  it.host.states.set(CHAT, chatState(CHAT, { turns }));
  return it.online();
}

const sent = (it: Harness, method: string): unknown[] =>
  it.host.requests.filter((request) => request.method === method).map(({ params }) => params);

describe('sharing', () => {
  test('[SUB-1] [SUB-2] mirrors of one channel share a subscription until the last is disposed', async () => {
    const it = await harness();
    const [one, two] = await it.run(Promise.all([it.client.subscribe(CHAT), it.client.subscribe(CHAT)]));
    expect(sent(it, 'subscribe')).toHaveLength(1);
    expect(one.state).toBe(two.state);
    const changes: string[] = [];
    one.onChange(() => changes.push('one'));
    two.onChange(() => changes.push('two'));
    one.dispose();
    one.dispose();
    it.host.emit(CHAT, activity('x'));
    await it.settle();
    expect(changes).toEqual(['two']);
    expect(it.host.connectionOf('c1').subscriptions).toContain(CHAT);
    two.dispose();
    await it.settle();
    expect(it.host.connectionOf('c1').subscriptions).not.toContain(CHAT);
    it.host.emit(CHAT, activity('y'));
    await it.settle();
    expect(two.state.activity).toBe('x');
    await it.run(it.client.subscribe(CHAT));
    expect(sent(it, 'subscribe')).toHaveLength(2);
  });

  test('[SUB-3] a request for more turns widens the shared subscription, a request for fewer shares it', async () => {
    const it = await harness(10);
    const few = await it.run(it.client.subscribe(CHAT, { turns: 2, maxLatencyMs: 50 }));
    expect(few.state.turns).toHaveLength(2);
    await it.run(it.client.subscribe(CHAT, { turns: 1, maxLatencyMs: 100 }));
    expect(sent(it, 'subscribe')).toEqual([
      { channel: CHAT, view: { turns: 2 }, delivery: { maxLatencyMs: 50 } },
    ]);
    await it.run(it.client.subscribe(CHAT, { turns: 5, maxLatencyMs: 80 }));
    expect(sent(it, 'subscribe')[1]).toEqual({
      channel: CHAT,
      view: { turns: 5 },
      delivery: { maxLatencyMs: 50 },
    });
    expect(few.state.turns).toHaveLength(5);
    await it.run(it.client.subscribe(CHAT));
    expect(few.state.turns).toHaveLength(10);
  });

  test('disposing a mirror during a widening does not end the wider mirror', async () => {
    const it = await harness(3);
    const few = await it.run(it.client.subscribe(CHAT, { turns: 1 }));
    const widening = it.client.subscribe(CHAT);
    await microtasks();
    few.dispose();
    const all = await it.run(widening);
    it.host.emit(CHAT, activity('still here'));
    await it.settle();
    expect(all.state).toMatchObject({ activity: 'still here', turns: [{}, {}, {}] });
    all.dispose();
    await it.settle();
    expect(it.host.connectionOf('c1').subscriptions.size).toBe(0);
  });

  test('a failed widening leaves no subscription without a mirror', async () => {
    const it = await harness(3);
    const few = await it.run(it.client.subscribe(CHAT, { turns: 1 }));
    const widening = it.client.subscribe(CHAT);
    await microtasks();
    few.dispose();
    const state = it.host.states.get(CHAT);
    it.host.states.delete(CHAT);
    await expect(it.run(widening)).rejects.toMatchObject({ code: -32008 });
    if (state !== undefined) it.host.states.set(CHAT, state);
    await it.settle();
    expect(it.host.connectionOf('c1').subscriptions.size).toBe(0);
  });

  test('the kind follows from the scheme, else from the option or the state, and a wrong kind is refused', async () => {
    const it = await harness();
    it.host.states.set('demo:/1', sessionState(CHAT));
    it.host.states.set('other:/2', chatState('other:/2'));
    const session = await it.run(it.client.subscribe('demo:/1', { kind: 'session' }));
    expect(session.state.lifecycle).toBe('ready');
    const other: string = 'other:/2';
    const guessed = await it.run(it.client.subscribe(other));
    expect(guessed.kind).toBe('chat');
    await expect(it.run(it.client.subscribe(other, { kind: 'terminal' }))).rejects.toMatchObject({
      code: 'unexpected-state',
    });
    await expect(it.run(it.client.subscribe(CHAT, { kind: 'session' }))).rejects.toMatchObject({
      code: 'unexpected-state',
    });
    expect(it.host.connectionOf('c1').subscriptions).toEqual(new Set(['demo:/1', other]));
  });

  test('stateless channels have their own subscriptions', async () => {
    const it = await harness();
    const uri = 'ahp-otlp://logs';
    await expect(it.run(it.client.subscribe(uri))).rejects.toMatchObject({ code: 'unexpected-state' });
    const payloads: unknown[] = [];
    it.client.onNotification('otlp/exportLogs', ({ payload }) => payloads.push(payload));
    const stop = await it.run(it.client.subscribeStateless(uri));
    const stopToo = await it.run(it.client.subscribeStateless(uri));
    it.host.notifyAll('otlp/exportLogs', { channel: uri, payload: { resourceLogs: [] } });
    await it.settle();
    expect(payloads).toEqual([{ resourceLogs: [] }]);
    await it.cut();
    await it.comeBack();
    expect(sent(it, 'reconnect')).toMatchObject([{ subscriptions: [uri] }]);
    stop();
    stop();
    await it.settle();
    stopToo();
    await it.cut();
    await it.comeBack();
    expect(sent(it, 'reconnect')[1]).toMatchObject({ subscriptions: [] });
  });
});

describe('older turns', () => {
  test('[CHAT-15] older turns are loaded page by page, and the last page is reported', async () => {
    const it = await harness(4);
    it.host.pages.set('before-1', { turns: [turnOf('t1'), turnOf('t2')], next: 'before-3' });
    it.host.pages.set('before-3', { turns: [turnOf('t0')] });
    const mirror = await it.run(it.client.subscribe(CHAT, { turns: 1 }));
    const both = [mirror.fetchOlderTurns(), mirror.fetchOlderTurns()];
    await expect(it.run(Promise.all(both))).resolves.toEqual([true, true]);
    expect(sent(it, 'fetchTurns')).toEqual([{ channel: CHAT, cursor: 'before-1' }]);
    expect(mirror.state.turns.map(({ id }) => id)).toEqual(['t1', 't2', 't3']);
    await expect(it.run(mirror.fetchOlderTurns())).resolves.toBe(true);
    expect(mirror.state.turns.map(({ id }) => id)).toEqual(['t0', 't1', 't2', 't3']);
    await expect(it.run(mirror.fetchOlderTurns())).resolves.toBe(false);
    expect(sent(it, 'fetchTurns')).toHaveLength(2);
  });
});

describe('iteration', () => {
  test('states: starts with the current state, skips to the latest for a slow reader, and ends at a loss', async () => {
    const it = await harness();
    const mirror = await it.run(it.client.subscribe(CHAT));
    const seen: (string | undefined)[] = [];
    const reading = (async () => {
      for await (const state of mirror) seen.push(state.activity);
    })();
    await microtasks();
    it.host.emit(CHAT, activity('1'));
    await it.settle();
    it.host.emit(CHAT, activity('2'));
    it.host.emit(CHAT, activity('3'));
    it.pair.deliverAll();
    await microtasks();
    expect(seen).toEqual([undefined, '1', '3']);
    await it.cut();
    it.host.states.delete(CHAT);
    await it.comeBack();
    await reading;
    expect(mirror.isLost).toBe(true);
  });

  test('leaving the loop or disposing the mirror ends an iteration', async () => {
    const it = await harness();
    const mirror = await it.run(it.client.subscribe(CHAT));
    for await (const state of mirror) {
      expect(state).toBe(mirror.state);
      break;
    }
    const reading = (async () => {
      let count = 0;
      for await (const _ of mirror) count += 1;
      return count;
    })();
    const actions = mirror.actions().next();
    await microtasks();
    mirror.dispose();
    await expect(reading).resolves.toBe(1);
    await expect(actions).resolves.toEqual({ done: true, value: undefined });
  });

  test('actions: yields every envelope in order, until too many are unread', async () => {
    const it = await harness();
    const mirror = await it.run(it.client.subscribe(CHAT));
    const actions = mirror.actions();
    const first = actions.next();
    it.host.emit(CHAT, activity('1'));
    it.host.emit(CHAT, activity('2'));
    await it.settle();
    await expect(first).resolves.toMatchObject({ value: { serverSeq: 1, action: { activity: '1' } } });
    await expect(actions.next()).resolves.toMatchObject({ value: { serverSeq: 2 } });
    for (let count = 0; count < MAX_UNREAD_ACTIONS; count++) it.host.emit(CHAT, activity(`${count}`));
    await it.settle();
    await expect(actions.next()).resolves.toMatchObject({ value: { serverSeq: 3 } });
    for (let count = 0; count <= MAX_UNREAD_ACTIONS; count++) it.host.emit(CHAT, activity(`${count}`));
    await it.settle();
    const rest = (async () => {
      for await (const _ of actions);
    })();
    await expect(rest).rejects.toMatchObject({ code: 'consumer-too-slow' });
  });

  test('the error of a listener is reported and does not affect other listeners', async () => {
    const it = await harness();
    const mirror = await it.run(it.client.subscribe(CHAT));
    const seen: string[] = [];
    mirror.onChange(() => {
      throw new Error('listener');
    });
    const stop = mirror.onChange(() => seen.push('heard'));
    it.host.emit(CHAT, activity('1'));
    await it.settle();
    stop();
    it.host.emit(CHAT, activity('2'));
    await it.settle();
    expect(seen).toEqual(['heard']);
    expect(it.errors).toMatchObject([{ message: 'listener' }, { message: 'listener' }]);
  });
});

describe('disposal of mirrored channels', () => {
  test('[SESS-3] [SESS-6] a removed chat and a removed session end their mirrors', async () => {
    const it = await harness();
    const session = 'ahp-session:/s';
    const state = sessionState(CHAT);
    const second = 'ahp-chat:/b';
    it.host.states.set(second, chatState(second));
    it.host.states.set(session, {
      ...state,
      chats: [...state.chats, { resource: second, title: '', status: 1, modifiedAt: '' }],
    });
    it.host.states.set(`${session}/annotations`, { annotations: [] });
    it.host.states.set(ROOT_URI, rootState());
    const [chat, other, annotations, own] = await it.run(
      Promise.all([
        it.client.subscribe(CHAT),
        it.client.subscribe(second),
        it.client.subscribe(`${session}/annotations`),
        it.client.subscribe(session),
      ]),
    );
    it.host.emit(session, { type: 'session/chatRemoved', chat: second });
    await it.settle();
    expect([chat.isLost, other.isLost]).toEqual([false, true]);
    const removed: string[] = [];
    it.client.onNotification('root/sessionRemoved', (params) => removed.push(params.session));
    it.host.notifyAll('root/sessionRemoved', { channel: ROOT_URI, session });
    await it.settle();
    expect(removed).toEqual([session]);
    expect([chat.isLost, annotations.isLost, own.isLost]).toEqual([true, true, true]);
  });
});

describe('requests from the host', () => {
  test('[RES-4] [WIRE-5] the host reads resources of the client, and gets -32601 without a handler', async () => {
    const it = await harness();
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    it.client.handle('resourceRead', async ({ uri }) => {
      await gate;
      return { data: uri, encoding: 'utf-8' };
    });
    const { peer } = it.host.connectionOf('c1');
    const read = peer.request('resourceRead', { channel: ROOT_URI, uri: 'mine:/x' });
    const list = peer.request('resourceList', { channel: ROOT_URI, uri: 'mine:/' });
    const refusal = failureOf(list);
    const mirror = await it.run(it.client.subscribe(CHAT));
    it.host.emit(CHAT, activity('not held up'));
    await it.settle();
    expect(await refusal).toMatchObject({ code: -32601 });
    expect(mirror.state.activity).toBe('not held up');
    release();
    await expect(it.run(read)).resolves.toEqual({ data: 'mine:/x', encoding: 'utf-8' });
  });

  test('an action without channel or number is reported, and later actions are applied', async () => {
    const it = await harness();
    const mirror = await it.run(it.client.subscribe(CHAT));
    it.host.connectionOf('c1').peer.notify('action', { serverSeq: 'x' });
    it.host.emit(CHAT, activity('after'));
    await it.settle();
    expect(it.errors).toHaveLength(1);
    expect(mirror.state.activity).toBe('after');
  });
});
