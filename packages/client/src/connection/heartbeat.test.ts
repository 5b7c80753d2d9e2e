import type { StateAction } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { chatState } from '../../test/fake-host.ts';
import { Harness } from '../../test/harness.ts';

const CHAT = 'ahp-chat:/a';
const activity = (text: string): StateAction => ({ type: 'chat/activityChanged', activity: text });

async function harness(): Promise<Harness> {
  const it = new Harness();
  it.host.states.set(CHAT, chatState(CHAT));
  return it.online();
}

test('the client pings in every interval, and a missing answer is a drop', async () => {
  const it = await harness();
  const pings = (): number => it.host.requests.filter(({ method }) => method === 'ping').length;
  it.clock.advance(15_000);
  await it.settle();
  expect(pings()).toBe(1);
  it.clock.advance(15_000);
  await it.settle();
  expect(pings()).toBe(2);
  it.clock.advance(15_000 + 9_999);
  expect(it.client.status.state).toBe('online');
  it.clock.advance(1);
  expect(it.client.status).toMatchObject({ state: 'waiting', reason: expect.stringContaining('ping') });
  await it.comeBack();
  expect(it.client.status.state).toBe('online');
});

test('any frame is a sign of life while the answer is pending', async () => {
  const it = await harness();
  await it.run(it.client.subscribe(CHAT));
  it.clock.advance(15_000);
  for (let second = 0; second < 5; second++) {
    it.clock.advance(8_000);
    it.host.emit(CHAT, activity('streaming'));
    it.pair.bToA.deliver();
  }
  expect(it.client.status.state).toBe('online');
  it.clock.advance(10_000);
  expect(it.client.status.state).toBe('waiting');
});

test.each([
  { name: 'ahead', byMs: 86_400_000 },
  { name: 'back', byMs: -86_400_000 },
])(
  'a wall clock that is set a day $name closes no live connection and hides no dead one',
  async ({ byMs }) => {
    const it = await harness();
    it.clock.advance(15_000);
    it.clock.set(byMs);
    it.clock.advance(9_000);
    await it.settle();
    expect(it.client.status.state).toBe('online');
    it.clock.advance(15_000);
    it.clock.set(byMs);
    it.clock.advance(9_999);
    expect(it.client.status.state).toBe('online');
    it.clock.advance(1);
    expect(it.client.status).toMatchObject({ state: 'waiting', reason: expect.stringContaining('ping') });
    await it.comeBack();
    expect(it.client.status.state).toBe('online');
  },
);
