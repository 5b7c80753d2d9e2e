import { expect, test } from 'vitest';
import { chatState } from '../../test/fake-host.ts';
import { Harness, microtasks } from '../../test/harness.ts';

const CHAT = 'ahp-chat:/a';

async function harness(): Promise<Harness> {
  const it = new Harness();
  it.host.states.set(CHAT, chatState(CHAT));
  await it.online();
  it.clock.advance(1_000);
  return it;
}

test('a check of a dead connection reconnects after two seconds without waiting for a delay', async () => {
  const it = await harness();
  const mirror = await it.run(it.client.subscribe(CHAT));
  it.clock.advance(1_000);
  it.client.checkNow();
  it.clock.advance(1_999);
  expect(it.client.status.state).toBe('online');
  it.clock.advance(1);
  expect(it.client.status.state).toBe('connecting');
  await it.settle();
  expect(it.client.status.state).toBe('online');
  expect(it.connectCount).toBe(2);
  expect(mirror.isLost).toBe(false);
});

test('a check of a live connection keeps it, and the heartbeat goes on', async () => {
  const it = await harness();
  it.client.checkNow();
  it.client.checkNow();
  await it.settle();
  const pings = (): number => it.host.requests.filter(({ method }) => method === 'ping').length;
  expect(pings()).toBe(1);
  it.clock.advance(14_999);
  expect(it.client.status.state).toBe('online');
  it.clock.advance(1);
  await it.settle();
  expect(pings()).toBe(2);
  expect(it.connectCount).toBe(1);
});

test('a frame that arrives during a check counts, even when the ping has no answer yet', async () => {
  const it = await harness();
  it.host.hold = (method) => method === 'ping';
  await it.run(it.client.subscribe(CHAT));
  it.clock.advance(1_000);
  it.client.checkNow();
  it.clock.advance(1_000);
  it.host.emit(CHAT, { type: 'chat/activityChanged', activity: 'x' });
  await it.settle();
  it.clock.advance(1_000);
  expect(it.client.status.state).toBe('online');
});

test('a check between two attempts starts the next one at once', async () => {
  const it = await harness();
  await it.cut();
  it.client.checkNow();
  await it.settle();
  expect(it.client.status.state).toBe('online');
});

test.each(['connecting', 'handshaking'])(
  'a check during an attempt that stays %s starts another attempt',
  async (state) => {
    const it = await harness();
    await it.cut();
    // No frame is delivered, so the handshake has no answer.
    it.client.reconnectNow();
    if (state === 'handshaking') await microtasks();
    expect(it.client.status.state).toBe(state);
    it.client.checkNow();
    it.client.checkNow();
    it.clock.advance(2_000);
    expect(it.connectCount).toBe(3);
    await it.settle();
    expect(it.client.status.state).toBe('online');
  },
);

test('a check leaves a closed client closed and does not take a replaced connection back', async () => {
  const it = await harness();
  await it.cut(4001);
  const { state } = it.client.status;
  it.client.checkNow();
  expect([state, it.client.status.state]).toEqual(['replaced', 'replaced']);
  it.client.close();
  it.client.checkNow();
  expect(it.client.status.state).toBe('closed');
  expect(it.clock.timerCount).toBe(0);
});
