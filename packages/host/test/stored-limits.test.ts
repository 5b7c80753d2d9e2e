import type { ChatState, SessionState, StateAction } from '@agenthost/protocol';
import { userMessage } from '@agenthost/testkit';
import { describe, expect, test } from 'vitest';
import { type HostFixture, ROOT, startHost } from './host-fixture.ts';

const MI = 1024 * 1024;
const HUGE = 12 * MI;
const huge = 'h'.repeat(HUGE);

/** Limit of one answer in characters. A connection takes frames of 64 MiB. */
const ANSWER = 16 * MI;

/** Changes a stored state to one of a build without limits. */
function store<S extends SessionState | ChatState>(
  host: HostFixture,
  uri: string,
  change: (state: S) => S,
): void {
  const { channels, sessions } = host.journal.disk;
  const row = channels.get(uri);
  if (row === undefined) throw new Error(`${uri} is not stored`);
  const before: S = JSON.parse(row.state);
  const state = change(before);
  const local = JSON.parse(row.local);
  if ('lifecycle' in state && local.summary !== undefined) {
    local.summary.title = state.title;
    const entry = sessions.get(uri);
    if (entry !== undefined) sessions.set(uri, { ...entry, summary: JSON.stringify(local.summary) });
  }
  channels.set(uri, { ...row, state: JSON.stringify(state), local: JSON.stringify(local) });
}

async function snapshotOf<S>(host: HostFixture, uri: string): Promise<S> {
  const client = await host.client();
  const { state } = await client.subscribe(uri);
  return JSON.parse(JSON.stringify(state));
}

const isShort = (title: string): boolean => title.length <= 512 && title.endsWith('…');

describe('stored titles of 12 MB', () => {
  async function setUp() {
    const host = await startHost();
    const maker = await host.client();
    const uris = Array.from({ length: 6 }, (_, index) => `ahp-session:/s${index}`);
    for (const uri of uris) await host.session(maker, uri);
    await host.stop();
    for (const uri of uris) store<SessionState>(host, uri, (state) => ({ ...state, title: huge }));
    await host.start();
    return { host, uris, client: await host.client() };
  }

  test('[ROOT-2] sessions are listed with shortened titles, page by page and all at once, and again after a restart', async () => {
    const { host, client } = await setUp();
    for (const limit of [undefined, 20]) {
      const { items } = await client.request('listSessions', { channel: ROOT, ...(limit && { limit }) });
      expect(items).toHaveLength(6);
      expect(items.every(({ title }) => isShort(title))).toBe(true);
    }
    await host.run();
    await host.restart();
    const later = await host.client();
    const { items } = await later.request('listSessions', { channel: ROOT });
    expect(items.every(({ title }) => isShort(title))).toBe(true);
    // The stored titles are repaired, so that the next list does not read such titles.
    const stored = [...host.journal.disk.sessions.values()].map(({ summary }) => summary.length);
    expect(Math.max(...stored)).toBeLessThan(2_000);
  });

  test('a session opens with a shortened title, takes another one, and can be deleted', async () => {
    const { host, uris, client } = await setUp();
    const [uri = ''] = uris;
    const { title } = await snapshotOf<SessionState>(host, uri);
    expect(isShort(title)).toBe(true);
    const echo = await client.act(uri, { type: 'session/titleChanged', title: 'short again' });
    expect(echo?.rejectionReason).toBeUndefined();
    await client.request('disposeSession', { channel: uri });
    const { items } = await client.request('listSessions', { channel: ROOT });
    expect(items).toHaveLength(5);
  });

  test('[CONN-5] a client with the long title gets a snapshot on its reconnect', async () => {
    const host = await startHost();
    const client = await host.client('keeps');
    const { session } = await host.session(client);
    const echo = await client.act(session, { type: 'session/titleChanged', title: 'short' });
    const seen = echo?.serverSeq ?? 0;
    await host.stop();
    store<SessionState>(host, session, (state) => ({ ...state, title: huge }));
    await host.start();
    await snapshotOf(host, session);
    const again = host.connect('keeps');
    const answer = await again.reconnect(seen, [session]);
    expect(answer.type).toBe('snapshot');
    if (answer.type !== 'snapshot') return;
    // A valid state is replayed as usual.
    await host.restart();
    const later = host.connect('keeps');
    const replayed = await later.reconnect(answer.snapshots[0]?.fromSeq ?? 0, [session]);
    expect(replayed.type).toBe('replay');
  });
});

test('[ROOT-2] the older of many sessions with many chats are listed without the chats, and with their working directory', async () => {
  const host = await startHost();
  const { session } = await host.session(await host.client());
  await host.stop();
  const row = host.journal.disk.sessions.get(session);
  if (row === undefined) throw new Error('the session has no row');
  const chats = Array.from({ length: 100 }, (_, index) => ({
    resource: `ahp-chat:/${index}`,
    title: 'a chat '.repeat(20),
    status: 1,
    modifiedAt: row.modifiedAt,
  }));
  for (let index = 0; index < 300; index += 1) {
    const uri = `ahp-session:/many-${index}`;
    const directories = ['file:///home/me/first', 'file:///home/me/second'];
    const summary = { ...JSON.parse(row.summary), resource: uri, chats, workingDirectories: directories };
    host.journal.disk.sessions.set(uri, { ...row, uri, summary: JSON.stringify(summary) });
  }
  await host.start();
  const { items } = await (await host.client()).request('listSessions', { channel: ROOT });
  const many = items.filter(({ resource }) => resource.includes('many'));
  expect(many.length).toBeGreaterThan(200);
  const short = many.filter((item) => !('chats' in item));
  expect(short.length).toBeGreaterThan(50);
  expect(short.length).toBeLessThan(many.length);
  for (const item of short) expect(item.workingDirectories).toEqual(['file:///home/me/first']);
});

describe('a stored queue of 14 messages of 12 MB', () => {
  const pending = (index: number) => ({ id: `q${index}`, message: userMessage(huge) });

  async function setUp(change: (state: ChatState) => ChatState) {
    const host = await startHost();
    const { chat } = await host.session(await host.client());
    await host.stop();
    store<ChatState>(host, chat, change);
    await host.start();
    return { host, chat, client: await host.client() };
  }

  test('is shown shortened, can be emptied, and the chat goes on', async () => {
    const queuedMessages = Array.from({ length: 14 }, (_, index) => pending(index));
    const { host, chat, client } = await setUp((state) => ({ ...state, queuedMessages }));
    const state = await snapshotOf<ChatState>(host, chat);
    expect(JSON.stringify(state).length).toBeLessThan(4 * MI);
    expect(state.queuedMessages).toHaveLength(14);
    expect(state.queuedMessages?.[0]?.message.text).toContain('12,582,912 characters');
    for (const { id } of state.queuedMessages ?? []) {
      const action = { type: 'chat/pendingMessageRemoved', kind: 'queued', id } satisfies StateAction;
      expect((await client.act(chat, action))?.rejectionReason).toBeUndefined();
    }
    expect((await snapshotOf<ChatState>(host, chat)).queuedMessages).toBeUndefined();
    await host.restart();
    expect((await snapshotOf<ChatState>(host, chat)).queuedMessages).toBeUndefined();
  });

  test('an embedded photo of a stored draft and queue becomes a reference, and is not lost', async () => {
    const data = Buffer.alloc(6 * MI, 0xf0).toString('base64');
    const attachments = [
      { type: 'embeddedResource', label: 'photo.png', data, contentType: 'image/png' },
    ] as const;
    const message = { ...userMessage('look'), attachments: [...attachments] };
    const { host, chat, client } = await setUp((state) => ({
      ...state,
      draft: message,
      queuedMessages: [{ id: 'q0', message }],
    }));
    const state = await snapshotOf<ChatState>(host, chat);
    expect(JSON.stringify(state).length).toBeLessThan(10_000);
    for (const kept of [state.draft, state.queuedMessages?.[0]?.message]) {
      const [attachment] = kept?.attachments ?? [];
      if (attachment?.type !== 'resource') throw new Error(`expected a reference, got ${attachment?.type}`);
      const read = await client.request('resourceRead', { channel: ROOT, uri: attachment.uri });
      expect(read).toMatchObject({ contentType: 'image/png', encoding: 'base64' });
      expect(read.data === data).toBe(true);
    }
  });
});

test('[CONN-5] a chat whose draft has a small attachment needs no snapshot after a restart', async () => {
  const host = await startHost();
  const client = await host.client('keeps');
  const { chat } = await host.session(client);
  const data = Buffer.from('small').toString('base64');
  const attachment = { type: 'embeddedResource', label: 'a.txt', data, contentType: 'text/plain' } as const;
  const message = { ...userMessage('look'), attachments: [attachment] };
  const echo = await client.act(chat, { type: 'chat/draftChanged', draft: message });
  expect(echo?.rejectionReason).toBeUndefined();
  await host.restart();
  expect((await snapshotOf<ChatState>(host, chat)).draft?.attachments).toEqual([attachment]);
  const answer = await host.connect('keeps').reconnect(echo?.serverSeq ?? 0, [chat]);
  expect(answer.type).toBe('replay');
});

test('[SUB-3] stored data larger than any limit does not make answers too large for a connection', async () => {
  const host = await startHost();
  const maker = await host.client();
  const { session, chat } = await host.session(maker);
  await host.stop();
  const message = userMessage(huge);
  store<SessionState>(host, session, (state) => ({ ...state, title: huge, activity: huge }));
  store<ChatState>(host, chat, (state) => ({
    ...state,
    title: huge,
    activity: huge,
    draft: message,
    steeringMessage: { id: 's', message },
    queuedMessages: [{ id: 'q', message }],
  }));
  await host.start();
  const client = host.connect();
  await client.initialize({ initialSubscriptions: [ROOT, session, chat] });
  const longest = Math.max(...client.frames.map((frame) => JSON.stringify(frame).length));
  expect(longest).toBeLessThan(ANSWER);
});
