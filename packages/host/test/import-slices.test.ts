import { ErrorCodes, type ExportedChatHead, type ExportedSession, SessionStatus } from '@agenthost/protocol';
import { turnStarted } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { SLICE_CHATS } from '../src/features/import/finish.ts';
import { type HostFixture, ROOT, SESSION, startHost } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

const session: ExportedSession = {
  resource: 'ahp-session:/old',
  provider: 'puppet',
  title: 'Bread',
  status: SessionStatus.Idle,
  lifecycle: 'ready',
};

const SLICES = 3;
const COUNT = SLICES * SLICE_CHATS;

const heads = Array.from(
  { length: COUNT },
  (_, index): ExportedChatHead => ({
    resource: `ahp-chat:/old-${index}`,
    title: `Bread ${index}`,
    status: SessionStatus.Idle,
    modifiedAt: '2026-01-01T00:00:00.000Z',
  }),
);

async function begin(host: HostFixture): Promise<{ client: RawClient; chats: string[] }> {
  const client = await host.client();
  const { chats } = await client.request('x-importSession', { channel: SESSION, session, chats: heads });
  return { client, chats: chats.map(({ chat }) => chat) };
}

const finish = (client: RawClient) => client.request('x-finishImport', { channel: SESSION });

/** Number of chats that each transaction makes. `at` runs after the first transaction, before its output is sent. */
function watchCommits(host: HostFixture, at: () => Promise<void> | void = () => undefined): number[] {
  const made: number[] = [];
  host.journal.gates.afterCommit = async (writes) => {
    const count = writes.filter((row) => row.op === 'channel' && row.kind === 'chat').length;
    if (count === 0) return;
    made.push(count);
    if (made.length === 1) await at();
  };
  return made;
}

async function leftOf(host: HostFixture, chats: readonly string[]) {
  const { items } = await (await host.client()).request('listSessions', { channel: ROOT });
  const rows = await host.journal.listChannels(SESSION);
  const channels = await Promise.all(chats.map((uri) => host.journal.readChannel(uri)));
  return { items, chatRows: rows.length, channels: channels.filter((row) => row !== undefined).length };
}

const NOTHING = { items: [], chatRows: 0, channels: 0 };

test('the chats of an import are made in slices, and the session is ready after the last one', async () => {
  const host = await startHost();
  const { client, chats } = await begin(host);
  const watcher = await host.client();
  await watcher.subscribe(SESSION);
  const made = watchCommits(host);
  await finish(client);
  await host.run();
  expect(made).toEqual(Array.from({ length: SLICES }, () => SLICE_CHATS));
  const types = watcher.types(SESSION);
  expect(types.filter((type) => type === 'session/chatAdded')).toHaveLength(COUNT);
  expect(types.at(-1)).toBe('session/ready');
  const { state } = await (await host.client()).subscribe(SESSION);
  expect(state).toMatchObject({ lifecycle: 'ready', defaultChat: chats[0] });
  expect('chats' in state && state.chats.map(({ resource }) => resource)).toEqual(chats);
});

/** Starts the end of an import, and blocks the commit of its first slice until `release` is called. */
async function halfWay(host: HostFixture) {
  const { client, chats } = await begin(host);
  const held = Promise.withResolvers<void>();
  const made = watchCommits(host, () => held.promise);
  const finishing = client.ask('x-finishImport', { channel: SESSION });
  await host.run();
  expect(made).toEqual([SLICE_CHATS]);
  return { client, chats, made, finishing, release: () => held.resolve() };
}

test('a session with a part of its chats accepts no actions', async () => {
  const host = await startHost();
  const other = await host.client();
  const { client, chats, finishing, release } = await halfWay(host);
  const [chat = ''] = chats;
  const asked = [
    other.ask('disposeChat', { channel: chat }),
    other.ask('createChat', { channel: SESSION, chat: 'ahp-chat:/mine' }),
    client.ask('x-importTurns', { channel: SESSION, chat, turns: [] }),
    client.ask('x-finishImport', { channel: SESSION }),
  ];
  const message = { text: 'go', origin: { kind: 'user' } };
  other.dispatch(chat, {
    type: 'chat/turnStarted',
    startedAt: '2026-06-01T00:00:00.000Z',
    turnId: 't',
    message,
  });
  await host.run();
  release();
  await client.answered(finishing);
  await host.run();
  const errorOf = (id: number) => (other.answerTo(id) ?? client.answerTo(id))?.error?.message;
  expect(asked.slice(0, 2).map(errorOf)).toEqual([
    'The session is being imported: wait until it is ready',
    'The session is being imported: wait until it is ready',
  ]);
  for (const id of asked.slice(2)) expect(client.answerTo(id)?.error).toBeDefined();
  expect(other.frames).toContainEqual(
    expect.objectContaining({
      params: expect.objectContaining({
        rejectionReason: 'importing: The session is being imported: wait until it is ready',
      }),
    }),
  );
  const { state } = await other.subscribe(SESSION);
  expect('chats' in state && state.chats.map(({ resource }) => resource)).toEqual(chats);
});

test.each(['another client disposes of the session', 'the client leaves'])(
  'an import leaves nothing when %s between two slices',
  async (what) => {
    const host = await startHost();
    const other = await host.client();
    const { client, chats, finishing, release } = await halfWay(host);
    if (what === 'the client leaves') client.link.cut();
    else other.ask('disposeSession', { channel: SESSION });
    await host.run();
    release();
    await host.run();
    if (what !== 'the client leaves')
      expect(client.answerTo(finishing)?.error).toMatchObject({ code: ErrorCodes.SessionNotFound });
    expect(await leftOf(host, chats)).toEqual(NOTHING);
  },
);

test('another request continues an import after a slice that could not be written', async () => {
  const host = await startHost();
  const { client, chats, made, finishing, release } = await halfWay(host);
  host.journal.failNextCommits(1);
  release();
  await expect(client.answered(finishing)).rejects.toMatchObject({ code: ErrorCodes.InternalError });
  await host.advance(2_000);
  await finish(client);
  expect(made).toEqual(Array.from({ length: SLICES }, () => SLICE_CHATS));
  const { state } = await client.subscribe(SESSION);
  expect('chats' in state && state.chats.map(({ resource }) => resource)).toEqual(chats);
});

test('an import that a stop of the host interrupts between two slices leaves no chat', async () => {
  const host = await startHost();
  const { chats, release } = await halfWay(host);
  const stopping = host.stop();
  await host.clock.settle();
  release();
  await stopping;
  await host.start();
  // Its client counts as away since the stop, like one that has left.
  expect(await leftOf(host, chats)).toEqual(NOTHING);
});

test('an import that a kill interrupts between two slices has failed after the next start, and leaves no chat', async () => {
  const host = await startHost();
  const { chats } = await halfWay(host);
  await host.restart();
  const next = await host.client();
  const { state } = await next.subscribe(SESSION);
  expect(state).toMatchObject({
    lifecycle: 'failed',
    chats: [],
    creationError: { errorType: 'importInterrupted' },
  });
  expect(state).not.toHaveProperty('defaultChat');
  expect(await leftOf(host, chats)).toMatchObject({ chatRows: 0, channels: 0 });
  await next.request('disposeSession', { channel: SESSION });
  expect(await leftOf(host, chats)).toEqual(NOTHING);
});

test('[SESS-3] the chats of a disposed session are loaded in batches, with other work between', async () => {
  const host = await startHost();
  const { client, chats } = await begin(host);
  await finish(client);
  await host.run();
  await host.restart();
  const next = await host.client();
  const reads = { inAll: 0, inTurn: 0, most: 0 };
  host.journal.gates.afterRead = () => {
    if (reads.inTurn === 0)
      host.clock.immediate(() => {
        reads.inTurn = 0;
      });
    reads.inAll += 1;
    reads.inTurn += 1;
    reads.most = Math.max(reads.most, reads.inTurn);
  };
  await next.request('disposeSession', { channel: SESSION });
  host.journal.gates.afterRead = undefined;
  expect(reads.inAll).toBeGreaterThan(COUNT);
  expect(reads.most).toBeLessThanOrEqual(reads.inAll / 2);
  expect(await leftOf(host, chats)).toEqual(NOTHING);
});

test('[SESS-3] the chats of a disposed session are removed in batches, together with turns that begin meanwhile', async () => {
  const host = await startHost();
  const { client, chats } = await begin(host);
  await finish(client);
  await host.run();
  await client.subscribe(ROOT);
  await client.subscribe(SESSION);
  client.clear();
  const dropped: number[] = [];
  host.journal.gates.afterCommit = async (writes) => {
    const count = writes.filter(({ op }) => op === 'dropChannel').length;
    if (count > 0) dropped.push(count);
    // After the first transaction.
    if (dropped.length === 1 && count > 0) client.dispatch(chats[0] ?? '', turnStarted('late'));
  };
  await client.request('disposeSession', { channel: SESSION });
  await host.run();
  host.journal.gates.afterCommit = undefined;
  expect(dropped.length).toBeGreaterThanOrEqual(SLICES);
  // The last batch has the session and its annotations too.
  expect(Math.max(...dropped)).toBeLessThanOrEqual(SLICE_CHATS + 2);
  expect(client.types(SESSION).filter((type) => type === 'session/chatRemoved')).toHaveLength(COUNT);
  expect(client.types(SESSION)).not.toContain('session/defaultChatChanged');
  expect(client.notifications('root/sessionRemoved')).toHaveLength(1);
  expect(await leftOf(host, chats)).toEqual(NOTHING);
});

test('[SESS-3] a kill in the middle of a long disposal leaves a session that can be disposed of again', async () => {
  const host = await startHost();
  const { client, chats } = await begin(host);
  await finish(client);
  await host.run();
  const reached = Promise.withResolvers<void>();
  host.journal.gates.afterCommit = async (writes) => {
    if (!writes.some(({ op }) => op === 'dropChannel')) return;
    reached.resolve();
    await new Promise(() => undefined);
  };
  client.ask('disposeSession', { channel: SESSION });
  await host.run();
  await reached.promise;
  host.journal.gates.afterCommit = undefined;
  await host.restart();
  const next = await host.client();
  const { state } = await next.subscribe(SESSION);
  expect(state).toMatchObject({ lifecycle: 'ready', defaultChat: chats[0] });
  expect('chats' in state && state.chats.length).toBe(COUNT - SLICE_CHATS);
  await next.request('disposeSession', { channel: SESSION });
  expect(await leftOf(host, chats)).toEqual(NOTHING);
});
