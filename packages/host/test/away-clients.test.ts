import { expect, test } from 'vitest';
import { type HostFixture, ROOT, SESSION, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const OBSERVER = { tokenHash: 'observer', scope: 'observe' } as const;
const OTHER = { tokenHash: 'other', scope: 'interact' } as const;
const FEW = { config: { maxAwayClientsPerToken: 3 } };

const rows = ({ journal }: HostFixture): string[] => [...journal.disk.clients.keys()].toSorted();

/** Connects and disconnects. */
async function visit(
  host: HostFixture,
  clientId: string,
  identity: Parameters<HostFixture['client']>[2],
  params: Parameters<RawClient['initialize']>[0] = {},
): Promise<void> {
  const client = await host.client(clientId, params, identity);
  client.link.cut();
  await host.run();
}

async function comesBack(
  host: HostFixture,
  clientId: string,
  identity: Parameters<HostFixture['connect']>[1],
): Promise<string> {
  const client = host.connect(clientId, identity);
  const { type } = await client.reconnect(0, [ROOT]);
  client.link.cut();
  await host.run();
  return type;
}

test('[CONN-7] the longest disconnected client of a token is forgotten for a new one, and must initialize; other tokens lose none', async () => {
  const host = await startHost(FEW);
  await visit(host, 'other', OTHER);
  for (const id of ['a', 'b', 'c']) await visit(host, id, OBSERVER);
  const here = await host.client('here', {}, OBSERVER);
  expect(rows(host)).toEqual(['a', 'b', 'c', 'here', 'other']);
  await visit(host, 'd', OBSERVER);
  expect(rows(host)).toEqual(['b', 'c', 'd', 'here', 'other']);
  // A client that has reconnected is forgotten last.
  await visit(host, 'b', OBSERVER);
  await visit(host, 'e', OBSERVER);
  expect(rows(host)).toEqual(['b', 'd', 'e', 'here', 'other']);
  await expect(comesBack(host, 'c', OBSERVER)).rejects.toMatchObject({ code: -32008 });
  expect(here.closed).toBeUndefined();
});

test('the stored data of one token’s disconnected clients has a limit in bytes', async () => {
  const host = await startHost({ config: {} });
  const owner = await host.client();
  const uris = Array.from({ length: 256 }, (_, index) => `ahp-session:/${'long'.repeat(100)}${index}`);
  for (const channel of uris) await owner.request('createSession', { channel });
  for (let index = 0; index < 50; index += 1) {
    // Long handshakes use up the rate of the token, which recovers with time.
    await host.advance(1_000);
    await visit(host, `viewer-${index}`, OBSERVER, { initialSubscriptions: uris });
  }
  const bytes = [...host.journal.disk.clients.values()].reduce(
    (sum, { subscriptions }) => sum + subscriptions.length,
    0,
  );
  expect(bytes).toBeGreaterThan(3_000_000);
  expect(bytes).toBeLessThan(4.5 * 1024 * 1024);
});

test('unknown fields of a client’s view or delivery are not stored', async () => {
  const host = await startHost();
  const owner = await host.client();
  const { chat } = await host.session(owner);
  const client = await host.client('viewer', {}, OBSERVER);
  const junk = 'x'.repeat(50_000);
  await client.raw('subscribe', {
    channel: chat,
    view: { turns: 1, junk },
    delivery: { maxLatencyMs: 5, junk },
  });
  const stored = host.journal.disk.clients.get('viewer')?.subscriptions ?? '';
  expect(stored).toContain('"view":{"turns":1},"delivery":{"maxLatencyMs":5}');
  expect(stored).not.toContain('junk');
});

test('[ACT-5] a client with a processed action is not forgotten for others of its token: a resent action is not applied again', async () => {
  const host = await startHost(FEW);
  const owner = await host.client();
  const { session } = await host.session(owner, SESSION);
  const life = { 'x-epoch': 'life' };
  const actor = await host.client('actor', life, OTHER);
  await actor.subscribe(session);
  await actor.act(session, { type: 'session/titleChanged', title: 'once' });
  actor.link.cut();
  await host.run();
  // Also in an epoch in which it does nothing.
  await visit(host, 'actor', OTHER, { 'x-epoch': 'another' });
  for (let index = 0; index < 20; index += 1) await visit(host, `passing-${index}`, OTHER);
  expect(rows(host)).toHaveLength(1 + 1 + 3);
  const again = host.connect('actor', OTHER);
  await again.reconnect(0, [session], life);
  again.dispatch(session, { type: 'session/titleChanged', title: 'once' }, 1);
  await again.ping();
  expect(host.journal.disk.envelopes.filter(({ json }) => json.includes('"once"'))).toHaveLength(1);
});

test('[ACT-5] rejected actions do not protect an observer from being forgotten, and a resent one is rejected again', async () => {
  const host = await startHost(FEW);
  const owner = await host.client();
  const { session } = await host.session(owner, SESSION);
  const client = await host.client('viewer', { 'x-epoch': 'life' }, OBSERVER);
  const dispatched = { type: 'session/titleChanged', title: 'no' } as const;
  client.dispatch(session, dispatched, 1);
  client.dispatch(session, dispatched, 1);
  await client.ping();
  const reasons = client.frames.flatMap(({ params }) =>
    typeof params === 'object' && params !== null && 'rejectionReason' in params
      ? [params.rejectionReason]
      : [],
  );
  expect(reasons).toEqual([
    expect.stringContaining('permissionDenied'),
    expect.stringContaining('permissionDenied'),
  ]);
  client.link.cut();
  await host.run();
  for (const life of ['second', 'third']) await visit(host, 'viewer', OBSERVER, { 'x-epoch': life });
  for (const id of ['a', 'b', 'c']) await visit(host, id, OBSERVER);
  expect(rows(host)).not.toContain('viewer');
});

test('clients that are disconnected at the start of a host count too, after it has read them', async () => {
  const host = await startHost({ config: { maxAwayClientsPerToken: 4 } });
  for (const id of ['a', 'b', 'c', 'd']) await visit(host, id, OBSERVER);
  await host.restart();
  await visit(host, 'b', OBSERVER);
  await visit(host, 'e', OBSERVER);
  expect(rows(host)).toEqual(['a', 'b', 'c', 'd', 'e']);
  await host.advance(61_000);
  expect(rows(host)).toEqual(['b', 'c', 'd', 'e']);
  await visit(host, 'f', OBSERVER);
  expect(rows(host)).toEqual(['b', 'd', 'e', 'f']);
});
