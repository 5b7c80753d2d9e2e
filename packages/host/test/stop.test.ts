import { expect, test } from 'vitest';
import type { ResolvedConfig } from '../src/agents/provider.ts';
import { ROOT, SESSION, startHost } from './host-fixture.ts';

test.each([
  ['createSession', { channel: SESSION }],
  ['resolveSessionConfig', { channel: ROOT }],
])('a %s that outlasts the host is refused, and not logged as an error', async (method, params) => {
  const host = await startHost();
  const client = await host.client();
  const config = Promise.withResolvers<ResolvedConfig>();
  host.agent.resolveConfig = () => config.promise;
  const id = client.ask(method, params);
  await host.run();
  await host.stop();
  const mode = { type: 'string', title: 'Mode' } as const;
  config.resolve({ schema: { type: 'object', properties: { mode } }, values: {} });
  await host.run();
  expect(client.answerTo(id)).toBeUndefined();
  expect(host.logged).toEqual([]);
  await host.start();
  const { items } = await (await host.client()).request('listSessions', { channel: ROOT });
  expect(items).toEqual([]);
});

test('a token that is created during the stop of the host leaves no timer', async () => {
  const host = await startHost();
  const client = await host.client();
  const committing = Promise.withResolvers<void>();
  host.journal.gates.beforeCommit = () => committing.promise;
  client.dispatch(ROOT, { type: 'root/configChanged', config: { maxTerminals: 9 } });
  await host.run();
  const stopping = host.host.stop();
  client.ask('x-createToken', { channel: ROOT, lifetimeSeconds: 30 });
  await host.run();
  committing.resolve();
  await host.run();
  await host.clock.runUntilSettled(stopping);
  expect(host.clock.timerCount).toBe(0);
});

test('a load during the stop of the host is refused, and not logged as an error', async () => {
  const host = await startHost();
  const { chat } = await host.session(await host.client());
  await host.restart();
  const [client, other, third] = [await host.client(), await host.client(), await host.client()];
  const reading = Promise.withResolvers<void>();
  host.journal.gates.afterRead = () => reading.promise;
  client.ask('x-searchSessions', { channel: ROOT, query: 'word' });
  client.send({
    jsonrpc: '2.0',
    method: 'dispatchAction',
    params: { channel: chat, clientSeq: 1, action: { type: 'chat/draftChanged', draft: { text: 'a' } } },
  });
  other.ask('subscribe', { channel: chat });
  third.ask('disposeSession', { channel: SESSION });
  await host.run();
  await host.stop();
  reading.resolve();
  await host.run();
  expect(host.logged).toEqual([]);
});

test('a turn that starts while agents end slowly ends visibly before its connection closes', async () => {
  const host = await startHost();
  const { agent } = host;
  const closing = Promise.withResolvers<void>();
  const open = agent.openSession.bind(agent);
  agent.openSession = async (...args) => ({ ...(await open(...args)), close: () => closing.promise });
  const start = (turnId: string) => ({
    type: 'chat/turnStarted',
    startedAt: '2026-06-01T00:00:00.000Z',
    turnId,
    message: { text: 'go on', origin: { kind: 'user' } },
  });
  const client = await host.client();
  const { chat } = await host.session(client);
  await client.subscribe(chat);
  await client.act(chat, start('first'));
  await host.run();
  const stopping = host.host.stop();
  await host.run();
  client.dispatch(chat, start('late'));
  await host.run();
  expect(client.closed).toBeUndefined();
  const ended = client
    .envelopes(chat)
    .flatMap(({ action }) => (action.type === 'chat/error' ? [action] : []));
  expect(ended.map(({ turnId, part }) => [turnId, part.error.errorType])).toEqual([
    ['first', 'hostRestarted'],
    ['late', 'hostRestarted'],
  ]);
  expect(agent.turns).toHaveLength(1);
  closing.resolve();
  await host.clock.runUntilSettled(stopping);
  await host.run();
  expect(client.closed).toBeDefined();
});
