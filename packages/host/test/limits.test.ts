import { expect, test } from 'vitest';
import { ROOT, startHost } from './host-fixture.ts';

const identity = (tokenHash: string) => ({ tokenHash, scope: 'interact' as const });

test('connections are limited by token and in all, and the refusal names the setting', async () => {
  const host = await startHost({ config: { maxConnections: 11, maxConnectionsPerToken: 8 } });
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

test('tokens that take all connections they can leave room for an admin, and admins for the owner', async () => {
  const host = await startHost({ config: { maxConnections: 128, maxConnectionsPerToken: 128 } });
  const { hub, ownerTokens } = host.host.core;
  await host.clock.runUntilSettled(ownerTokens.use('the owner'));
  const admin = { tokenHash: 'an admin', scope: 'admin' } as const;
  const owner = { tokenHash: 'the owner', scope: 'admin' } as const;
  /** Connects until it is refused. Returns the number of connections. */
  const fill = (who: Parameters<typeof hub.refusalFor>[0]): number => {
    let count = 0;
    for (; hub.refusalFor(who) === undefined; count += 1) host.connect(undefined, who);
    return count;
  };
  expect(fill({ tokenHash: 'one', scope: 'observe' })).toBe(124);
  expect(hub.refusalFor(identity('two'))).toBe(
    'the last 4 of 128 connections are reserved for admins (maxConnections)',
  );
  expect(fill(admin)).toBe(2);
  expect(hub.refusalFor(admin)).toBe(
    'the last 2 of 128 connections are reserved for the owner (maxConnections)',
  );
  expect(fill(owner)).toBe(2);
  host.kill();
});

test('a limit below the number of connections still admits admins and the owner', async () => {
  const host = await startHost({ config: {} });
  const { hub, ownerTokens } = host.host.core;
  await host.clock.runUntilSettled(ownerTokens.use('owner'));
  const client = await host.client();
  for (let count = 0; count < 10; count += 1) host.connect(undefined, identity('one'));
  await client.act(ROOT, { type: 'root/configChanged', config: { maxConnections: 8 } });
  client.link.cut();
  await host.run();
  expect(hub.refusalFor(identity('two'))).toContain('(maxConnections)');
  expect(hub.refusalFor({ tokenHash: 'admin', scope: 'admin' })).toBeUndefined();
  expect(hub.refusalFor({ tokenHash: 'owner', scope: 'admin' })).toBeUndefined();
  host.kill();
});

test('subscriptions are bounded, and a change of the setting applies at once', async () => {
  const host = await startHost({ config: {} });
  const client = await host.client();
  const uris = Array.from({ length: 9 }, (_, index) => `ahp-session:/${index}`);
  for (const channel of uris) await client.request('createSession', { channel });
  await client.act(ROOT, { type: 'root/configChanged', config: { maxSubscriptions: 8 } });
  for (const uri of uris.slice(0, 8)) await client.subscribe(uri);
  await expect(client.subscribe(uris[8] ?? '')).rejects.toMatchObject({
    code: -32602,
    message: 'At most 8 subscriptions per connection (maxSubscriptions); unsubscribe from one first',
  });
  await client.subscribe(uris[0] ?? '');
  await expect(host.client('other', { initialSubscriptions: uris })).rejects.toMatchObject({
    code: -32602,
    message: 'At most 8 subscriptions per connection (maxSubscriptions), got 9',
  });
  await client.act(ROOT, { type: 'root/configChanged', config: { maxSubscriptions: 9 } });
  await client.subscribe(uris[8] ?? '');
  host.kill();
});

test('subscriptions are bounded by token, over all its connections; a client that reconnects does not count twice', async () => {
  const host = await startHost({ config: { maxSubscriptionsPerToken: 256 } });
  const owner = await host.client();
  const uris = Array.from({ length: 128 }, (_, index) => `ahp-session:/${index}`);
  for (const channel of uris) await owner.request('createSession', { channel });
  const [one, two] = ['one', 'two'].map(identity);
  await host.client('a', { initialSubscriptions: uris }, one);
  const client = await host.client('b', { initialSubscriptions: uris }, one);
  const refusal = { code: -32602, message: expect.stringContaining('(maxSubscriptionsPerToken)') };
  await expect(client.subscribe(ROOT)).rejects.toMatchObject(refusal);
  await expect(host.client('c', { initialSubscriptions: [ROOT] }, one)).rejects.toMatchObject(refusal);
  await host.client('a', { initialSubscriptions: uris }, one);
  await host.client('d', { initialSubscriptions: uris }, two);
  host.kill();
});

test('waiting messages are bounded: one more closes the connection with 1008 and their number', async () => {
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
