import { expect, test } from 'vitest';
import { ROOT, startHost } from './host-fixture.ts';

const identity = (tokenHash: string) => ({ tokenHash, scope: 'interact' as const });

test('connections are bounded by token and in all, and the setting that bounds them is named', async () => {
  const host = await startHost({ config: { maxConnections: 9, maxConnectionsPerToken: 8 } });
  const { hub } = host.host.core;
  const ones = Array.from({ length: 8 }, () => {
    expect(hub.refusalFor(identity('one'))).toBeUndefined();
    return host.connect(undefined, identity('one'));
  });
  expect(hub.refusalFor(identity('one'))).toContain('maxConnectionsPerToken');
  expect(hub.refusalFor(identity('two'))).toBeUndefined();
  host.connect(undefined, identity('two'));
  expect(hub.refusalFor(identity('three'))).toContain('(maxConnections)');
  ones[0]?.link.cut();
  await host.run();
  expect(hub.refusalFor(identity('one'))).toBeUndefined();
  host.kill();
});

test('subscriptions are bounded, and a change of the setting holds at once', async () => {
  const host = await startHost({ config: {} });
  const client = await host.client();
  const uris = Array.from({ length: 9 }, (_, index) => `ahp-session:/${index}`);
  for (const channel of uris) await client.request('createSession', { channel });
  await client.act(ROOT, { type: 'root/configChanged', config: { maxSubscriptions: 8 } });
  for (const uri of uris.slice(0, 8)) await client.subscribe(uri);
  await expect(client.subscribe(uris[8] ?? '')).rejects.toMatchObject({
    code: -32602,
    message: 'At most 8 subscriptions a connection (maxSubscriptions); unsubscribe from one first',
  });
  await client.subscribe(uris[0] ?? '');
  await expect(host.client('other', { initialSubscriptions: uris })).rejects.toMatchObject({
    code: -32602,
    message: 'At most 8 subscriptions a connection (maxSubscriptions), got 9',
  });
  await client.act(ROOT, { type: 'root/configChanged', config: { maxSubscriptions: 9 } });
  await client.subscribe(uris[8] ?? '');
  host.kill();
});

test('messages that wait are bounded: one more ends the connection with 1008, which says how many there were', async () => {
  const host = await startHost({ config: { maxPendingMessages: 100 } });
  const client = await host.client();
  const { chat } = await host.session(client);
  const { promise, resolve } = Promise.withResolvers<void>();
  host.journal.gates.afterRead = () => promise;
  for (let count = 0; count < 110; count += 1) client.ask('fetchTurns', { channel: chat, limit: 1 });
  await host.run();
  expect(client.closed).toEqual({ code: 1008, reason: 'more than 100 messages wait to be handled' });
  resolve();
  await host.run();
  host.kill();
});
