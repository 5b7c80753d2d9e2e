import type { BackgroundWork } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { chatState } from '../../test/fake-host.ts';
import { failureOf, Harness } from '../../test/harness.ts';
import { ChatHandle } from './chat-handle.ts';

const CHAT = 'ahp-chat:/1';
const WORKER = 'ahp-chat:/worker';
const startedAt = new Date(0).toISOString();
const work: BackgroundWork[] = [
  { kind: 'shell', id: 'bare', label: 'Build', startedAt, command: 'make' },
  { kind: 'subagent', id: 'worker', label: 'Worker', startedAt, chat: WORKER },
];

async function opened() {
  // The handle loads it in time that is not simulated.
  await import('./background-work.ts');
  const it = await new Harness().online();
  it.host.states.set(CHAT, chatState(CHAT, { backgroundWork: work }));
  const mirror = await it.run(it.client.subscribe(CHAT, { kind: 'chat' }));
  const chat = new ChatHandle(
    mirror,
    () => 'new',
    () => 5_000,
    it.client,
  );
  return { it, chat };
}

test('[CHAT-46] the turn of a worker is cancelled', async () => {
  const { it, chat } = await opened();
  const message = { text: 'go', origin: { kind: 'user' as const } };
  it.host.states.set(
    WORKER,
    chatState(WORKER, { activeTurn: { id: 't1', startedAt, message, responseParts: [] } }),
  );
  expect(chat.backgroundWork).toEqual(work);
  await it.run(chat.endBackgroundWork('worker'));
  expect(it.host.dispatched.map(({ channel, action }) => ({ channel, ...action }))).toEqual([
    { channel: WORKER, type: 'chat/turnCancelled', turnId: 't1', duration: 5_000 },
  ]);
});

test('[CHAT-46] work that has ended is no error, and a shell without a terminal cannot be ended', async () => {
  const { it, chat } = await opened();
  it.host.states.set(WORKER, chatState(WORKER, {}));
  await it.run(chat.endBackgroundWork('worker'));
  await it.run(chat.endBackgroundWork('no such work'));
  expect(it.host.dispatched).toEqual([]);
  expect(await failureOf(it.run(chat.endBackgroundWork('bare')))).toMatchObject({
    code: 'cannot-end-work',
    message: 'Build has no terminal, so only its agent can end it',
  });
});
