import { turnStarted } from '@agenthost/testkit';
import { expect, test, vi } from 'vitest';
import { ROOT, startHost } from './host-fixture.ts';

const session = (name: string): string => `ahp-session:/${name}`;

test('sessions are found by the prompts in them, page by page, also after a restart', async () => {
  const host = await startHost();
  const client = await host.client();
  for (const name of ['a', 'b', 'c']) {
    await client.request('createSession', { channel: session(name) });
    const { defaultChat } = JSON.parse(JSON.stringify((await client.subscribe(session(name))).state));
    await client.act(defaultChat, {
      ...turnStarted(`turn ${name}`),
      message: { text: `Bake bread ${name}`, origin: { kind: 'user' } },
    });
    await host.run();
    await client.act(defaultChat, { type: 'chat/turnCancelled', turnId: `turn ${name}` });
    await host.run();
    await host.advance(1_000);
  }
  await host.restart();
  const again = await host.client();
  const search = (query: string, more: { limit?: number; cursor?: string } = {}) =>
    again.request('x-searchSessions', { channel: ROOT, query, ...more });
  const { items, isComplete, nextCursor } = await search('"bread B"');
  expect({ isComplete, nextCursor }).toEqual({ isComplete: true, nextCursor: undefined });
  const message = items.find(({ field }) => field === 'message');
  expect(message).toMatchObject({
    session: { resource: session('b') },
    chat: expect.stringContaining('ahp-chat:'),
    turnId: 'turn b',
    snippet: 'Bake bread b',
    matches: [[5, 12]],
  });
  const first = await search('bread', { limit: 2 });
  expect(first.items).toHaveLength(2);
  const rest = await search('bread', { cursor: first.nextCursor ?? '' });
  const all = await search('bread');
  expect([...first.items, ...rest.items]).toEqual(all.items);
  expect(new Set(all.items.map(({ session: { resource } }) => resource))).toEqual(
    new Set(['a', 'b', 'c'].map(session)),
  );
  await again.request('disposeSession', { channel: session('b') });
  expect((await search('"bread b"')).items).toEqual([]);
});

test('an invalid search is refused with a message, and a query without words finds nothing', async () => {
  const host = await startHost();
  const client = await host.client();
  const search = (params: { query: string; limit?: number; cursor?: string }) =>
    client.request('x-searchSessions', { channel: ROOT, ...params });
  await expect(search({ query: 'x'.repeat(100_000) })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('at most 1,000 characters, got 100,000'),
  });
  for (const limit of [0, 101, 1.5]) {
    await expect(search({ query: 'x', limit })).rejects.toMatchObject({ code: -32602 });
  }
  for (const cursor of ['', 'x', '1.2', '99999999999999999.0.1', '1.0.1 OR 1']) {
    await expect(search({ query: 'x', cursor })).rejects.toMatchObject({ code: -32602 });
  }
  for (const query of ['', '"', 'NEAR(', '\0', 'x" OR "y', '*']) {
    expect(await search({ query })).toEqual({ items: [], isComplete: true });
  }
});

test('too many searches of one token are refused, others are not, and those of a disconnected client are dropped', async () => {
  const host = await startHost();
  const many = await Promise.all(Array.from({ length: 36 }, (_, index) => host.client(`many ${index}`)));
  const other = await host.client('other', {}, { tokenHash: 'other', scope: 'observe' });
  const asked = many.flatMap((client) =>
    Array.from({ length: 8 }, () => ({
      client,
      id: client.ask('x-searchSessions', { channel: ROOT, query: 'bread' }),
    })),
  );
  const last = other.ask('x-searchSessions', { channel: ROOT, query: 'flour' });
  const search = vi.spyOn(host.journal, 'search');
  for (const link of host.network.links) link.deliverAll();
  many[0]?.link.cut();
  await host.run();
  const answers = asked.slice(8).map(({ client, id }) => client.answerTo(id));
  const refused = answers.flatMap((answer) => answer?.error ?? []);
  expect(answers.every((answer) => answer !== undefined)).toBe(true);
  expect(refused.length).toBe(36 * 8 - 260);
  expect(refused[0]).toMatchObject({
    code: -32011,
    message: '256 searches of this token are waiting: try again later',
  });
  expect(other.answerTo(last)?.result).toMatchObject({ items: [] });
  const queries = search.mock.calls.map(([query]) => query);
  // Tokens alternate: the last one does not wait for all searches of the others.
  expect(queries.indexOf('flour')).toBeLessThan(8);
  expect(queries.length).toBe(260 - 8 + 1);
});
