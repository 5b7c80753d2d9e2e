import { expect, test } from 'vitest';
import { type HostFixture, ROOT, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

/** Delivers the client's messages to the host, and none of the host's to the client. */
async function stall(host: HostFixture, client: RawClient): Promise<void> {
  await host.clock.settle();
  for (;;) {
    const delivered = client.link.toHost.deliver();
    await host.clock.settle();
    if (delivered === 0 && !host.clock.hasImmediates) return;
  }
}

test('unread answers are not made ahead without a bound, and come in order when the client reads', async () => {
  const host = await startHost({ outbox: { responseBytes: 64_000 } });
  const client = await host.client();
  await host.session(client);
  const ids = Array.from({ length: 200 }, () => client.ask('listSessions', { channel: ROOT }));
  await stall(host, client);
  const waiting = client.link.toClient.waitingBytes;
  expect(waiting).toBeGreaterThan(1_000);
  expect(waiting).toBeLessThan(8_000);
  await host.run();
  expect(client.closed).toBeUndefined();
  const answered = client.frames.flatMap(({ id }) => (typeof id === 'number' ? [id] : []));
  expect(answered.slice(-200)).toStrictEqual(ids);
});

test('a client that keeps sending requests and never reads is disconnected', async () => {
  const host = await startHost({ outbox: { responseBytes: 16_000 } });
  const client = await host.client();
  const { session } = await host.session(client);
  for (let count = 0; count < 100; count += 1) client.ask('subscribe', { channel: session });
  await stall(host, client);
  await host.run();
  // A close frame would not reach it.
  expect(client.closed).toBeDefined();
  expect(host.logged).toContain('a client reads too slowly; it has to reconnect');
});

test('[WIRE-6] eight concurrent requests of a connection run at once, and further ones block nothing', async () => {
  const host = await startHost();
  const client = await host.client();
  const other = await host.client();
  const { session } = await host.session(client);
  const gate = Promise.withResolvers<void>();
  let readCount = 0;
  host.journal.gates.afterRead = async () => {
    readCount += 1;
    await gate.promise;
  };
  for (let count = 0; count < 20; count += 1) client.ask('x-diskUse', { channel: session });
  const ping = client.ask('ping', { channel: ROOT });
  await host.run();
  expect(readCount).toBe(8);
  expect(client.answerTo(ping)).toBeDefined();
  other.ask('x-diskUse', { channel: session });
  await host.run();
  expect(readCount).toBe(9);
  gate.resolve();
  await host.run();
  expect(readCount).toBe(21);
});

test('[WIRE-6] reads of a token without free slots delay neither those of another token nor an admin’s', async () => {
  const host = await startHost();
  const [first, second, third] = ['first', 'second', 'third'].map((tokenHash) => ({
    tokenHash,
    scope: 'observe' as const,
  }));
  const flooding = [await host.client('one', {}, first), await host.client('two', {}, second)];
  const waiting = await host.client('three', {}, third);
  const owner = await host.client('owner');
  const gate = Promise.withResolvers<void>();
  let readCount = 0;
  host.journal.gates.afterRead = async () => {
    readCount += 1;
    if (readCount <= 4) await gate.promise;
  };
  const list = (client: RawClient): number => client.ask('listSessions', { channel: ROOT });
  for (let count = 0; count < 20; count += 1) list(flooding[0] ?? waiting);
  await host.run();
  expect(readCount).toBe(2);
  const [, answered = 0] = [1, 2].map(() => list(flooding[1] ?? waiting));
  await host.run();
  expect(readCount).toBe(4);
  const [asked, owned] = [list(waiting), list(owner)];
  await host.run();
  expect([waiting.answerTo(asked), owner.answerTo(owned)]).toEqual([undefined, expect.anything()]);
  gate.resolve();
  await host.run();
  expect(waiting.answerTo(asked)).toBeDefined();
  expect(flooding[1]?.answerTo(answered)).toBeDefined();
  expect(readCount).toBe(24);
});

test.each([
  ['resourceRead', { channel: ROOT, uri: 'agenthost-content:/none' }],
  ['x-searchSessions', { channel: ROOT, query: 'word' }],
  ['x-listApprovals', { channel: ROOT }],
] as const)('answers to %s take turns by token', async (method, params) => {
  const host = await startHost();
  const identity = { tokenHash: 'deaf', scope: 'observe' as const };
  const deaf = await host.client('deaf', {}, identity);
  const owner = await host.client('owner');
  const gate = Promise.withResolvers<void>();
  let readCount = 0;
  host.journal.gates.afterRead = async () => {
    readCount += 1;
    await gate.promise;
  };
  // Takes both of its slots.
  for (let count = 0; count < 2; count += 1) deaf.ask('listSessions', { channel: ROOT });
  await host.run();
  const [asked, owned] = [deaf.ask(method, params), owner.ask(method, params)];
  await host.run();
  // At most the owner's requests have run.
  expect([deaf.answerTo(asked), readCount <= 3]).toEqual([undefined, true]);
  gate.resolve();
  await host.run();
  expect([deaf.answerTo(asked), owner.answerTo(owned)]).toEqual([expect.anything(), expect.anything()]);
});

test('[SUB-2] output that a slow socket has not taken yet is dropped with its subscription', async () => {
  const host = await startHost({ outbox: { softBytes: 1 } });
  const client = await host.client();
  const other = await host.client();
  const { session } = await host.session(client);
  const titled = (title: string) => ({ type: 'session/titleChanged', title }) as const;
  // The first title fills the socket.
  for (let count = 0; count < 3; count += 1) other.dispatch(session, titled(`title ${count}`));
  client.dispatch(session, titled('own'));
  await stall(host, other);
  await stall(host, client);
  client.send({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel: session } });
  await stall(host, client);
  await host.run();
  const titles = client.envelopes(session).map(({ action }) => ('title' in action ? action.title : ''));
  expect(titles).toStrictEqual(['title 0', 'own']);
});
