import type { StateAction } from '@agenthost/protocol';
import { type CloseInfo, RpcError, type Transport } from '@agenthost/rpc';
import { controlledPair } from '@agenthost/rpc/memory';
import { describe, expect, test } from 'vitest';
import { chatState, ROOT_URI, rootState, turnOf } from '../../test/fake-host.ts';
import { failureOf, Harness, microtasks } from '../../test/harness.ts';
import { CannotConnect, ConnectionLost, Unauthorized } from '../errors.ts';
import { CONNECTION_TRANSITIONS } from './connection-state.ts';

const CHAT = 'ahp-chat:/a';
const activity = (text: string): StateAction => ({ type: 'chat/activityChanged', activity: text });

async function harness(): Promise<Harness> {
  const it = new Harness();
  it.host.states.set(CHAT, chatState(CHAT));
  it.host.states.set(ROOT_URI, rootState());
  return it.online();
}

const last = (it: Harness, method: string): unknown =>
  it.host.requests.findLast((request) => request.method === method)?.params;

describe('replay and snapshot', () => {
  test('[CONN-5] [CONN-6] the gap is replayed from the highest number received, each envelope applied once', async () => {
    const it = await harness();
    const mirror = await it.run(it.client.subscribe(CHAT));
    const applied: number[] = [];
    mirror.onAction(({ serverSeq }) => applied.push(serverSeq));
    it.host.emit(CHAT, activity('one'));
    await it.settle();
    it.host.emit(CHAT, activity('lost on the way'));
    await it.cut();
    it.host.emit(CHAT, activity('while away'));
    await it.comeBack();
    expect(last(it, 'reconnect')).toMatchObject({
      clientId: 'c1',
      lastSeenServerSeq: 1,
      subscriptions: [CHAT],
    });
    expect(applied).toEqual([1, 2, 3]);
    expect(mirror.state.activity).toBe('while away');
    it.host.emit(CHAT, activity('live again'));
    await it.settle();
    expect(applied).toEqual([1, 2, 3, 4]);
  });

  test('[CONN-5] private numbers and the boundary of a subscription count as seen', async () => {
    const it = await harness();
    it.host.emit(CHAT, activity('before anyone subscribed'));
    await it.run(it.client.subscribe(CHAT));
    expect(it.client.lastSeenServerSeq).toBe(1);
    it.host.judge = () => ({ reject: 'no: no' });
    await it.run(it.client.dispatch(CHAT, { type: 'chat/truncated' }));
    expect(it.client.lastSeenServerSeq).toBe(2);
    await it.cut();
    await it.comeBack();
    expect(last(it, 'reconnect')).toMatchObject({ lastSeenServerSeq: 2 });
  });

  test('[CONN-5] a snapshot answer replaces state, and channels missing in it are lost', async () => {
    const it = await harness();
    const [mirror, root] = await it.run(
      Promise.all([it.client.subscribe(CHAT), it.client.subscribe(ROOT_URI)]),
    );
    it.host.emit(CHAT, activity('seen'));
    await it.settle();
    await it.cut();
    it.host.emit(CHAT, activity('missed'));
    it.host.emit(CHAT, activity('missed too'));
    it.host.coveredFrom = 2;
    it.host.states.delete(ROOT_URI);
    const states: unknown[] = [];
    mirror.onChange((state) => states.push(state.activity));
    await it.comeBack();
    expect(states).toEqual(['missed too']);
    expect(root.isLost).toBe(true);
    expect(mirror.isLost).toBe(false);
    expect(it.client.lastSeenServerSeq).toBe(3);
  });

  test.each(['reconnect', 'initialize'])(
    '[SUB-3] a channel that does not fit in the answer to %s is subscribed separately and keeps its pending actions',
    async (answered) => {
      const it = await harness();
      it.host.states.set(ROOT_URI, rootState());
      const mirror = await it.run(it.client.subscribe(CHAT));
      it.host.emit(CHAT, activity('seen'));
      await it.settle();
      await it.cut();
      it.host.emit(CHAT, activity('missed'));
      it.host.coveredFrom = 2;
      it.host.leftOut.add(CHAT);
      if (answered === 'initialize')
        it.host.refuse = (method) => (method === 'reconnect' ? new RpcError(-32603, 'no') : undefined);
      const outcome = mirror.dispatch({ type: 'chat/truncated' });
      await it.comeBack();
      expect(mirror.isLost).toBe(false);
      expect(mirror.state.activity).toBe('missed');
      expect(await outcome).toMatchObject({ outcome: 'accepted' });
      it.host.emit(CHAT, activity('live again'));
      await it.settle();
      expect(mirror.state.activity).toBe('live again');
    },
  );

  test('[CONN-5] a channel that no longer exists after a reconnect is lost, without a reported error', async () => {
    const it = await harness();
    const mirror = await it.run(it.client.subscribe(CHAT));
    await it.cut();
    it.host.isSnapshotOnly = true;
    it.host.states.delete(CHAT);
    await it.comeBack();
    await it.settle();
    expect(mirror.isLost).toBe(true);
    expect(it.errors).toEqual([]);
  });

  test('[CONN-5] a new host with lower numbers sends snapshots, and the client adopts its numbers', async () => {
    const it = await harness();
    it.host.serverSeq = 1_000;
    const mirror = await it.run(it.client.subscribe(CHAT));
    expect(it.client.lastSeenServerSeq).toBe(1_000);
    await it.cut();
    it.host.serverSeq = 5;
    it.host.log = [];
    it.host.clients.clear();
    await it.comeBack();
    expect(it.client.lastSeenServerSeq).toBe(5);
    it.host.emit(CHAT, activity('applies'));
    await it.settle();
    expect(mirror.state.activity).toBe('applies');
  });

  test('[CONN-5] a replay lists missing channels, whose mirrors end and report their loss', async () => {
    const it = await harness();
    const mirror = await it.run(it.client.subscribe(CHAT));
    let changes = 0;
    mirror.onChange(() => {
      changes += 1;
    });
    await it.cut();
    it.host.states.delete(CHAT);
    await it.comeBack();
    expect(mirror.isLost).toBe(true);
    expect(changes).toBe(1);
    await expect(it.run(it.client.subscribe(CHAT))).rejects.toMatchObject({ code: -32008 });
  });

  test('[CONN-3] after a refused reconnect the client sends initialize on the same connection and requests its windows again', async () => {
    const it = await harness();
    const turns = ['t1', 't2', 't3'].map((id) => turnOf(id));
    it.host.states.set('ahp-chat:/w', chatState('ahp-chat:/w', { turns }));
    const plain = await it.run(it.client.subscribe(CHAT));
    const windowed = await it.run(it.client.subscribe('ahp-chat:/w', { turns: 1 }));
    await it.cut();
    it.host.refuse = (method) => (method === 'reconnect' ? new RpcError(-32603, 'no') : undefined);
    it.host.states.set(CHAT, chatState(CHAT, { title: 'new' }));
    it.host.states.set('ahp-chat:/w', chatState('ahp-chat:/w', { turns: [...turns, turnOf('t4')] }));
    await it.comeBack();
    expect(it.client.status.state).toBe('online');
    expect(it.connectCount).toBe(2);
    expect(last(it, 'initialize')).toMatchObject({ initialSubscriptions: [CHAT] });
    expect(plain.state.title).toBe('new');
    expect(last(it, 'subscribe')).toEqual({ channel: 'ahp-chat:/w', view: { turns: 1 } });
    expect(windowed.state.turns.map(({ id }) => id)).toEqual(['t4']);
  });

  test('[CONN-7] [VSC-3] a client that the host has forgotten initializes on the same connection and loses nothing', async () => {
    const it = await harness();
    const turns = ['t1', 't2'].map((id) => turnOf(id));
    it.host.states.set('ahp-chat:/w', chatState('ahp-chat:/w', { turns }));
    const plain = await it.run(it.client.subscribe(CHAT));
    const windowed = await it.run(it.client.subscribe('ahp-chat:/w', { turns: 1 }));
    await it.cut();
    it.host.refuse = (method) =>
      method === 'reconnect' ? new RpcError(-32008, 'No client "c1"') : undefined;
    it.host.states.set(CHAT, chatState(CHAT, { title: 'new' }));
    const outcome = plain.dispatch({ type: 'chat/truncated' });
    await it.comeBack();
    await it.settle();
    expect(it.connectCount).toBe(2);
    expect(await outcome).toMatchObject({ outcome: 'accepted' });
    expect(plain.state.title).toBe('new');
    expect([plain.isLost, windowed.isLost]).toEqual([false, false]);
    expect(windowed.state.turns.map(({ id }) => id)).toEqual(['t2']);
    expect(it.errors).toEqual([]);
  });

  test('[CONN-5] a window that is not up to date yet is not listed in the next reconnect', async () => {
    const it = await harness();
    it.host.states.set('ahp-chat:/w', chatState('ahp-chat:/w', { turns: [turnOf('t1')] }));
    await it.run(it.client.subscribe(CHAT));
    const windowed = await it.run(it.client.subscribe('ahp-chat:/w', { turns: 1 }));
    await it.cut();
    it.host.states.set('ahp-chat:/w', chatState('ahp-chat:/w', { turns: [turnOf('t1'), turnOf('t2')] }));
    it.host.refuse = (method) => (method === 'reconnect' ? new RpcError(-32603, 'no') : undefined);
    // The connection drops again before the window is answered.
    it.host.hold = (method) => method === 'subscribe';
    await it.comeBack();
    await it.cut();
    it.host.refuse = () => undefined;
    it.host.hold = () => false;
    await it.comeBack();
    expect(last(it, 'reconnect')).toMatchObject({ subscriptions: [CHAT] });
    expect(last(it, 'subscribe')).toEqual({ channel: 'ahp-chat:/w', view: { turns: 1 } });
    expect(windowed.isLost).toBe(false);
    expect(windowed.state.turns.map(({ id }) => id)).toEqual(['t2']);
  });

  test('an envelope in the same chunk as the answer is applied after the answer', async () => {
    const it = await harness();
    const mirror = await it.run(it.client.subscribe(CHAT));
    await it.cut();
    it.host.emit(CHAT, activity('replayed'));
    const { status } = it.client;
    if (status.state !== 'waiting') throw new Error('not waiting');
    it.clock.advance(status.retryAt - it.clock.now());
    for (let round = 0; round < 20; round++) await Promise.resolve();
    it.pair.aToB.deliver();
    it.host.emit(CHAT, activity('live'));
    // The answer and the envelope arrive without a microtask between them.
    it.pair.bToA.deliver(2);
    expect(it.client.status.state).toBe('online');
    expect(mirror.state.activity).toBe('live');
  });
});

describe('requests at a drop', () => {
  test('a request in flight rejects with ConnectionLost and is not resent', async () => {
    const it = await harness();
    const asked = it.client.request('listSessions', { channel: ROOT_URI });
    const subscribing = it.client.subscribe(CHAT);
    const failures = Promise.all([failureOf(asked), failureOf(subscribing)]);
    await it.cut();
    for (const failure of await failures) expect(failure).toBeInstanceOf(ConnectionLost);
    await expect(it.client.request('listSessions', { channel: ROOT_URI })).rejects.toBeInstanceOf(
      ConnectionLost,
    );
    await expect(it.client.ping()).rejects.toBeInstanceOf(ConnectionLost);
    await it.comeBack();
    expect(it.host.requests.map(({ method }) => method)).toEqual(['initialize', 'reconnect']);
  });
});

describe('status', () => {
  test('every status describes the connection, and every transition is in the table', async () => {
    const it = new Harness();
    const seen: string[] = ['idle'];
    it.client.onStatus(({ state }) => seen.push(state));
    await it.online();
    await it.cut();
    await it.comeBack();
    it.client.close();
    it.client.close();
    expect(seen).toEqual([
      'idle',
      'connecting',
      'handshaking',
      'online',
      'waiting',
      'connecting',
      'handshaking',
      'online',
      'closed',
    ]);
    const steps = seen.slice(1).map((to, index) => [seen[index], to]);
    for (const [from, to] of steps) {
      expect(CONNECTION_TRANSITIONS[from as keyof typeof CONNECTION_TRANSITIONS]).toContain(to);
    }
    expect(it.clock.timerCount).toBe(0);
    await expect(it.client.whenOnline()).rejects.toMatchObject({ name: 'ClientClosed' });
  });

  test('the delay between attempts doubles up to a limit, with jitter, and resets after a stable connection', async () => {
    let random = 1;
    const it = new Harness({ random: () => random, backoff: { minMs: 100, maxMs: 1_000, stableMs: 5_000 } });
    await it.online();
    const delays: number[] = [];
    const wait = (): void => {
      const { status } = it.client;
      if (status.state !== 'waiting') throw new Error(`it is ${status.state}`);
      delays.push(status.retryAt - it.clock.now());
    };
    it.clock.advance(5_000);
    await it.cut();
    wait();
    it.connectError = new CannotConnect('down');
    for (let attempt = 0; attempt < 5; attempt++) {
      await it.comeBack();
      wait();
    }
    expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    expect(it.client.status).toMatchObject({ state: 'waiting', attempt: 5, reason: 'down' });
    random = 0;
    await it.comeBack();
    wait();
    expect(delays.at(-1)).toBe(500);
    it.connectError = undefined;
    await it.comeBack();
    await it.cut();
    wait();
    // The connection was not stable long enough to reset the delay.
    expect(delays.at(-1)).toBe(500);
    await it.comeBack();
    it.clock.advance(5_000);
    await it.cut();
    wait();
    expect(delays.at(-1)).toBe(50);
  });

  test('reconnectNow ends the wait', async () => {
    const it = await harness();
    await it.cut();
    const online = it.client.whenOnline();
    it.client.reconnectNow();
    it.client.reconnectNow();
    await it.run(online);
    expect(it.connectCount).toBe(2);
  });

  test('[CONN-3] a replaced client reconnects only on request', async () => {
    const it = await harness();
    const mirror = await it.run(it.client.subscribe(CHAT));
    const other = new Harness({ host: it.host, sharedClock: it.clock });
    await other.online();
    await it.settle();
    expect(it.client.status).toMatchObject({ state: 'replaced', error: { name: 'Replaced' } });
    // Much longer than any backoff, but before the other client's next ping.
    it.clock.advance(14_000);
    await it.settle();
    expect(it.connectCount).toBe(1);
    await expect(it.client.dispatch(CHAT, { type: 'chat/truncated' })).resolves.toMatchObject({
      outcome: 'dropped',
    });
    it.host.emit(CHAT, activity('meanwhile'));
    it.client.reconnectNow();
    await it.settle();
    await other.settle();
    expect(it.client.status.state).toBe('online');
    expect(other.client.status.state).toBe('replaced');
    expect(mirror.state.activity).toBe('meanwhile');
  });

  test('[CONN-3] a late handshake of the same client replaces it once, and the client reconnects', async () => {
    const it = await harness();
    await it.cut();
    const { status } = it.client;
    if (status.state !== 'waiting') throw new Error('not waiting');
    it.clock.advance(status.retryAt - it.clock.now());
    await microtasks();
    const stray = it.pair;
    expect(stray.aToB.frames).toHaveLength(1);
    // The client abandons the handshake; the network still delivers it.
    it.clock.advance(60_000);
    await microtasks();
    await it.comeBack();
    expect(it.client.status.state).toBe('online');
    stray.aToB.deliver();
    await it.settle();
    expect(it.client.status.state).toBe('waiting');
    await it.comeBack();
    expect(it.client.status.state).toBe('online');
    const other = new Harness({ host: it.host, sharedClock: it.clock });
    await other.online();
    await it.settle();
    expect(it.client.status.state).toBe('replaced');
  });

  test('a client that the host disconnects as too slow reconnects', async () => {
    const it = await harness();
    await it.cut(4008);
    expect(it.client.status.state).toBe('waiting');
  });

  test('[AUTH-1] a refused credential ends all attempts', async () => {
    const it = await harness();
    await it.cut();
    it.connectError = new Unauthorized('token revoked');
    await it.comeBack().catch(expect.fail);
    expect(it.client.status).toMatchObject({ state: 'closed', error: { name: 'Unauthorized' } });
    const revoked = await harness();
    await revoked.cut(4003);
    expect(revoked.client.status).toMatchObject({ state: 'closed', error: { name: 'Unauthorized' } });
  });

  test('a failed first attempt rejects with its reason and closes the client', async () => {
    const it = new Harness();
    it.connectError = new CannotConnect('refused');
    await expect(it.online()).rejects.toThrow('refused');
    expect(it.client.status).toMatchObject({ state: 'closed' });
    expect(it.clock.timerCount).toBe(0);
  });

  test('[CONN-1] [AUTH-1] a refused handshake closes the client with its reason', async () => {
    const it = new Harness();
    it.host.refuse = () => new RpcError(-32005, 'No common version', { supportedVersions: ['9.0.0'] });
    await expect(it.online()).rejects.toMatchObject({ name: 'HandshakeFailed', cause: { code: -32005 } });
    const denied = new Harness();
    denied.host.refuse = () => new RpcError(-32009, 'This client id belongs to another token');
    await expect(denied.online()).rejects.toMatchObject({ name: 'Unauthorized' });
  });

  test('an attempt that hangs is abandoned, and its late transport is closed', async () => {
    const it = await harness();
    let arrive: (transport: Transport) => void = () => undefined;
    const late = new Harness({
      host: it.host,
      sharedClock: it.clock,
      connectTimeoutMs: 1_000,
      transport: () =>
        new Promise((resolve) => {
          arrive = resolve;
        }),
    });
    const failure = failureOf(late.client.connect());
    it.clock.advance(1_000);
    expect(await failure).toMatchObject({ name: 'CannotConnect' });
    const pair = controlledPair();
    let closed: CloseInfo | undefined;
    pair.b.start({
      onFrame: () => undefined,
      onClose: (info) => {
        closed = info;
      },
    });
    arrive(pair.a);
    await microtasks();
    pair.deliverAll();
    expect(closed).toMatchObject({ code: 1000 });
  });

  test('a close while connecting aborts the transport', async () => {
    let given: AbortSignal | undefined;
    const it = new Harness({
      transport: (signal) => {
        given = signal;
        return new Promise(() => undefined);
      },
    });
    const failure = failureOf(it.client.connect());
    it.client.close();
    expect(given?.aborted).toBe(true);
    expect(await failure).toMatchObject({ name: 'ClientClosed' });
    expect(it.clock.timerCount).toBe(0);
  });

  test('a close while connecting ends the attempt', async () => {
    const it = new Harness();
    const failure = failureOf(it.client.connect());
    it.client.close();
    expect(await failure).toMatchObject({ name: 'ClientClosed' });
    await it.settle();
    expect(it.host.connections).toEqual([]);
    expect(it.clock.timerCount).toBe(0);
  });
});
