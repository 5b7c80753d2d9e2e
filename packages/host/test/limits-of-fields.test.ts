import {
  CLIENT_ACTIONS,
  CUT_REQUESTS,
  MESSAGE_TOTAL,
  TEXT_LIMITS,
  type TextLimit,
} from '@agenthost/protocol';
import { describe, expect, test } from 'vitest';
import { type HostFixture, ROOT } from './host-fixture.ts';
import { inTurn } from './in-turn.ts';
import type { RawClient } from './raw-client.ts';
import { actionLeaves, type Leaf, paramsLeaves } from './schema-leaves.ts';

const MI = 1024 * 1024;

/** Limit of one answer in characters. A connection takes frames of 64 MiB. */
const ANSWER = 16 * MI;

const texts = new Map<number, string>();
/** A text of this length, created once. */
function textOf(length: number): string {
  const text = texts.get(length) ?? 'x'.repeat(length);
  texts.set(length, text);
  return text;
}

/** The limit of a text in the table. */
function limitOf(name: string, { path }: Leaf): number {
  const open = path.findIndex((field) =>
    ['_meta', 'config', 'metadata', 'default', 'enum', 'structuredContent'].includes(field),
  );
  const fields = [name, ...(open === -1 ? path : path.slice(0, open + 1))];
  const field = fields.at(-1) ?? '';
  const parent = fields.at(-2) ?? '';
  const limits: TextLimit[] = Object.values(TEXT_LIMITS);
  const limit =
    limits.find((each) => each.fields.includes(`${parent}.${field}`)) ??
    limits.find((each) => each.fields.includes(field));
  if (limit === undefined) throw new Error(`${fields.join('.')} has no limit`);
  return limit.max;
}

/** States that clients see, and the size of each answer. */
async function look(
  host: HostFixture,
  channels: readonly string[],
): Promise<{ states: string; longest: number }> {
  const client = host.connect();
  await client.initialize({ initialSubscriptions: [ROOT, ...channels] });
  await client.request('listSessions', { channel: ROOT });
  for (const channel of channels) await client.subscribe(channel);
  const longest = Math.max(...client.frames.map((frame) => JSON.stringify(frame).length));
  const snapshots = await Promise.all(
    channels.map(async (channel) => (await client.subscribe(channel)).state),
  );
  client.link.cut();
  await host.run();
  return { states: JSON.stringify(snapshots), longest };
}

const actions = [...actionLeaves()].filter(([type]) => CLIENT_ACTIONS.some((known) => known === type));

/** This host answers them as unknown methods, whatever their params. */
const METHODS_WITHOUT_COMMAND: ReadonlySet<string> = new Set([
  'authenticate',
  'invokeChangesetOperation',
  'runAutomation',
  'fetchAutomationRuns',
  'listAutomationTriggerDefinitions',
]);

describe('one character more than the limit', () => {
  test('[ACT-3] in any text of any action is refused with a message, and changes nothing', async () => {
    const { host, client, session, chat } = await inTurn();
    const before = await look(host, [session, chat]);
    let count = 0;
    for (const [type, leaves] of actions) {
      const channel = channelFor(type, session, chat);
      if (channel === undefined) continue;
      for (const leaf of leaves) {
        // The host takes it from no client.
        if (leaf.path[0] === 'x-by') continue;
        const max = limitOf(type, leaf);
        const clientSeq = client.dispatch(channel, Object(leaf.make(textOf(max + 1))));
        await host.run();
        const echo = client.echoOf(clientSeq);
        const where = `${type}.${leaf.path.join('.')}`;
        expect(echo?.rejectionReason, where).toMatch(
          /^tooLarge: action\.\S+: at most [\d,]+ characters, got [\d,]+$/,
        );
        expect(JSON.stringify(echo).length, where).toBeLessThan(10_000);
        client.clear();
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(80);
    expect((await look(host, [session, chat])).states).toBe(before.states);
  }, 60_000);

  test('in any parameter of any request is refused with a message', async () => {
    const { host, client: usual } = await inTurn();
    let count = 0;
    for (const [method, leaves] of paramsLeaves()) {
      if (CUT_REQUESTS.has(method) || METHODS_WITHOUT_COMMAND.has(method)) continue;
      for (const leaf of leaves) {
        const isHandshake = method === 'initialize' || method === 'reconnect';
        const client = isHandshake ? host.connect() : usual;
        const params = Object(leaf.make(textOf(limitOf(method, leaf) + 1)));
        const where = `${method}.${leaf.path.join('.')}`;
        const refused: unknown = await client.raw(method, params).catch((error: unknown) => error);
        expect(refused, where).toMatchObject({
          code: -32602,
          message: expect.stringMatching(/^params\.\S+: at most [\d,]+ characters, got [\d,]+$/),
        });
        client.clear();
        if (isHandshake) client.link.cut();
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(60);
    expect(host.logged).toEqual([]);
  }, 60_000);
});

test('a text of the full length in any action is not too large, and all answers stay small', async () => {
  const { host, client, session, chat } = await inTurn();
  for (const [type, leaves] of actions) {
    const channel = channelFor(type, session, chat);
    if (channel === undefined) continue;
    for (const leaf of leaves) {
      const max = limitOf(type, leaf);
      if (max > MESSAGE_TOTAL.max - 64 * 1024 && !isApart(leaf)) continue;
      const clientSeq = client.dispatch(channel, Object(leaf.make(textOf(max))));
      await host.run();
      const reason = client.echoOf(clientSeq)?.rejectionReason ?? '';
      if (!reason.includes('characters altogether'))
        expect(reason, `${type}.${leaf.path.join('.')}`).not.toContain('tooLarge');
      client.clear();
    }
  }
  expect((await look(host, [session, chat])).longest).toBeLessThan(ANSWER);
  await host.restart();
  expect((await look(host, [session, chat])).longest).toBeLessThan(ANSWER);
}, 60_000);

/** Data that the host stores outside of state counts for no total. */
const isApart = ({ path }: Leaf): boolean => path.join('.').endsWith('attachments.data');

function channelFor(type: string, session: string, chat: string): string | undefined {
  const [family] = type.split('/');
  if (family === 'root') return ROOT;
  if (family === 'session') return session;
  return family === 'chat' ? chat : undefined;
}

describe('totals', () => {
  const queued = (id: string, length: number) => ({
    type: 'chat/pendingMessageSet',
    kind: 'queued',
    id,
    message: { text: textOf(length), origin: { kind: 'user' } },
  });
  const reasonOf = async (client: RawClient, channel: string, action: object) =>
    (await client.act(channel, action))?.rejectionReason;

  test('[CHAT-11] a queue takes messages up to 2 MiB altogether, and an edit of a queued message counts once', async () => {
    const { client, chat } = await inTurn();
    expect(await reasonOf(client, chat, queued('a', MI))).toBeUndefined();
    expect(await reasonOf(client, chat, queued('b', MI - 10_000))).toBeUndefined();
    expect(await reasonOf(client, chat, queued('c', 10_000))).toMatch(
      /^queueFull: .*at most 2,097,152 characters altogether/,
    );
    expect(await reasonOf(client, chat, queued('b', MI - 20_000))).toBeUndefined();
    expect(await reasonOf(client, chat, queued('c', 10_000))).toBeUndefined();
  });

  test('unknown fields count for the limit of a message', async () => {
    const { client, chat } = await inTurn();
    const junk = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, textOf(60_000)]));
    const draft = { text: 'x', origin: { kind: 'user' }, ...junk };
    expect(await reasonOf(client, chat, { type: 'chat/draftChanged', draft })).toMatch(
      /^tooLarge: action: at most 1,572,864 characters altogether/,
    );
    const list = { text: 'x', origin: { kind: 'user' }, list: Array.from({ length: 10_001 }, () => 0) };
    expect(await reasonOf(client, chat, { type: 'chat/draftChanged', draft: list })).toMatch(
      /^tooLarge: action\.draft\.list: at most 10,000 members, got 10,001$/,
    );
    const keys = { text: 'x', origin: { kind: 'user' }, [textOf(513)]: 0 };
    expect(await reasonOf(client, chat, { type: 'chat/draftChanged', draft: keys })).toMatch(/^tooLarge: /);
  });

  test('[ROOT-2] a page of large session entries ends early with a cursor, and the pages together have all sessions', async () => {
    const { host, client } = await inTurn();
    const { sessions } = host.journal.disk;
    const [row] = sessions.values();
    if (row === undefined) throw new Error('no session');
    const _meta = {
      metadata: Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`k${index}`, textOf(512)])),
    };
    for (let index = 0; index < 3_000; index += 1) {
      const resource = `ahp-session:/many-${String(index).padStart(4, '0')}`;
      sessions.set(resource, {
        ...row,
        uri: resource,
        summary: JSON.stringify({ ...JSON.parse(row.summary), resource, _meta }),
      });
    }
    const found = new Set<string>();
    let pages = 0;
    for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages += 1) {
      const page = await client.request('listSessions', {
        channel: ROOT,
        limit: 10_000,
        ...(cursor && { cursor }),
      });
      expect(JSON.stringify(page).length).toBeLessThan(3 * MI);
      for (const { resource } of page.items) found.add(resource);
      cursor = page.nextCursor;
    }
    expect(pages).toBeGreaterThan(4);
    expect(found.size).toBe(3_001);
    client.clear();
    const all = await client.request('listSessions', { channel: ROOT });
    // Without a limit a page has more sessions, shortened, but not all: reading them takes time.
    expect(all.items.length).toBeGreaterThan(400);
    expect(all.nextCursor).toBeDefined();
    expect(JSON.stringify(all).length).toBeLessThan(5 * MI);
    expect(all.items[0]?._meta).toBeDefined();
    expect(all.items.at(-1)?._meta).toBeUndefined();
  });
});
