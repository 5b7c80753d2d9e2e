import { expect, it } from 'vitest';
import { ROOT, SESSION, startHost } from '../../../test/host-fixture.ts';

it('[SESS-1] of two clients that create the same session at once, one gets the error that it exists', async () => {
  const host = await startHost();
  const clients = [await host.client(), await host.client()];
  const asked = clients.map((client) => client.ask('createSession', { channel: SESSION }));
  await host.run();
  const answers = clients.map((client, index) => client.answerTo(asked[index] ?? 0)?.error?.code);
  expect(answers.toSorted()).toStrictEqual([-32003, undefined]);
  expect(host.agent.opened).toHaveLength(1);
  expect((await clients[0]?.subscribe(ROOT))?.state).toMatchObject({ activeSessions: 1 });
});

it('[SESS-3] of two clients that dispose of a session at once, one gets the error that it is gone', async () => {
  const host = await startHost();
  const clients = [await host.client(), await host.client()];
  const [first] = clients;
  if (first === undefined) throw new Error('no client');
  await first.subscribe(ROOT);
  await host.session(first, 'ahp-session:/kept');
  await host.session(first);
  const asked = clients.map((client) => client.ask('disposeSession', { channel: SESSION }));
  await host.run();
  const answers = clients.map((client, index) => client.answerTo(asked[index] ?? 0)?.error?.code);
  expect(answers.toSorted()).toStrictEqual([-32001, undefined]);
  expect(first.notifications('root/sessionRemoved')).toHaveLength(1);
  expect((await first.subscribe(ROOT))?.state).toMatchObject({ activeSessions: 1 });
});

it('[SESS-3] the chats of a disposed session are removed one after another, and none becomes the default meanwhile', async () => {
  const host = await startHost();
  const client = await host.client();
  await host.session(client);
  await client.request('createChat', { channel: SESSION, chat: 'ahp-chat:/b' });
  await client.request('createChat', { channel: SESSION, chat: 'ahp-chat:/c' });
  client.clear();
  await client.request('disposeSession', { channel: SESSION });
  await host.run();
  expect(client.types(SESSION)).toStrictEqual(Array.from({ length: 3 }, () => 'session/chatRemoved'));
});

it('[WIRE-6] [ROOT-2] a list that is requested after a creation has the new session', async () => {
  const host = await startHost();
  const client = await host.client();
  client.ask('createSession', { channel: SESSION });
  const listed = client.ask('listSessions', { channel: ROOT });
  await host.run();
  expect(client.answerTo(listed)?.result).toMatchObject({ items: [{ resource: SESSION }] });
});

it('[SESS-2] turns and chats of a session that is being created reach the agent when it is ready', async () => {
  const host = await startHost();
  const opening = Promise.withResolvers<void>();
  host.agent.opening = opening.promise;
  const client = await host.client();
  const { chat } = await host.session(client);
  await client.act(chat, {
    type: 'chat/turnStarted',
    startedAt: '2026-06-01T00:00:00.000Z',
    turnId: 't',
    message: { text: 'hello', origin: { kind: 'user' } },
  });
  await client.request('createChat', {
    channel: SESSION,
    chat: 'ahp-chat:/second',
    initialMessage: { text: 'you too', origin: { kind: 'user' } },
  });
  // The second chat has no subscriber for long.
  await host.advance(110_000);
  expect(host.agent.turns).toHaveLength(0);
  opening.resolve();
  await host.run();
  expect(host.agent.turns.map(({ input }) => input.message.text).toSorted()).toStrictEqual([
    'hello',
    'you too',
  ]);
});

it('[SESS-2] [CHAT-1] a session becomes ready although its first chat was disposed of', async () => {
  const host = await startHost();
  const opening = Promise.withResolvers<void>();
  host.agent.opening = opening.promise;
  const client = await host.client();
  const { session, chat } = await host.session(client);
  await client.request('createChat', { channel: SESSION, chat: 'ahp-chat:/second' });
  host.agent.opening = Promise.resolve();
  await client.request('disposeChat', { channel: chat });
  opening.reject(new Error('called off'));
  await host.run();
  expect(client.types(session)).toContain('session/ready');
  expect(client.types(session)).not.toContain('session/creationFailed');
});

it('[SESS-2] when the creation fails, waiting turns end with an error and no more begin', async () => {
  const host = await startHost();
  const opening = Promise.withResolvers<void>();
  host.agent.opening = opening.promise;
  const client = await host.client();
  const { session, chat } = await host.session(client);
  const message = { text: 'hello', origin: { kind: 'user' as const } };
  await client.act(chat, {
    type: 'chat/turnStarted',
    startedAt: '2026-06-01T00:00:00.000Z',
    turnId: 't',
    message,
  });
  opening.reject(new Error('no such program'));
  await host.run();
  expect(client.types(session)).toContain('session/creationFailed');
  expect(client.types(chat).at(-1)).toBe('chat/error');
  const late = await client.act(chat, {
    type: 'chat/turnStarted',
    startedAt: '2026-06-01T00:00:00.000Z',
    turnId: 'u',
    message,
  });
  expect(late?.rejectionReason).toMatch(/^creationFailed: /);
  host.agent.opening = Promise.resolve();
  await client.act(chat, { type: 'chat/pendingMessageSet', kind: 'queued', id: 'q', message });
  await host.run();
  const started = client.envelopes(chat).filter(({ action, rejectionReason }) => {
    return action.type === 'chat/turnStarted' && rejectionReason === undefined;
  });
  expect(started).toHaveLength(1);
  expect(host.agent.turns).toHaveLength(0);
});
