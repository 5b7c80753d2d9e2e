import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createHost, type Host } from '@agenthost/host';
import { createPlayedAgent, type PlayTurn } from '@agenthost/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newSession, WireClient } from '../../bench/wire.ts';
import { elementsDuring } from './element-count.ts';

const ROOT = 'ahp-root://';
const TOKEN = 'bench-token-of-forty-three-characters-long-x';
const READY = { invocationMessage: 'Run' };
const DONE = { success: true, pastTenseMessage: 'Ran' };

const SMALL = 200;
const FACTOR = 4;
/** Linear work costs four times as much. The rest is for the depth of trees and for noise of sockets. */
const AT_MOST = FACTOR * 1.4;

/** Counted costs, which do not depend on the machine. */
interface Work {
  readonly elements: number;
  readonly journalBytes: number;
  readonly receivedBytes: number;
}

interface Stage {
  readonly host: Host;
  readonly url: string;
  readonly client: WireClient;
  readonly session: string;
  readonly chat: string;
}

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-growth-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const agent = createPlayedAgent();

const nextRound = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const inOrder = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const ping = (client: WireClient): Promise<unknown> => client.request('ping', { channel: ROOT });
const started = (turnId: string) => ({
  type: 'chat/turnStarted',
  startedAt: '2026-06-01T00:00:00.000Z',
  turnId,
  message: { text: 'go', origin: { kind: 'user' } },
});

/** Runs a turn to its end. */
async function turn({ host, client, chat }: Stage, playTurn: PlayTurn): Promise<void> {
  agent.play = playTurn;
  client.dispatch(chat, started(crypto.randomUUID()));
  await ping(client);
  while (host.core.sync.registry.getOf('chat', chat)?.state.activeTurn !== undefined) await nextRound();
}

/** Makes chats in the session of a stage. Resolves with their URIs. */
async function makeChats({ client, session }: Stage, count: number): Promise<string[]> {
  const uris = inOrder(count).map((index) => `ahp-chat:/${index}`);
  for (const chat of uris) await client.request('createChat', { channel: session, chat });
  return uris;
}

/** The cost of `work` in a new host, after `prepare`. */
async function costOf<T>(
  prepare: (stage: Stage) => Promise<T>,
  work: (stage: Stage, prepared: T) => Promise<void>,
): Promise<Work> {
  const dataDir = await mkdtemp(join(folder, 'data-'));
  const host = createHost({
    dataDir,
    agents: [() => agent.provider],
    listen: { port: 0, token: TOKEN },
    roots: [folder],
    defaultDirectory: folder,
    // As many messages a second as the shapes send.
    config: { maxMessagesPerSecond: 10_000, maxPendingMessages: 10_000 },
  });
  const address = await host.start();
  const url = `${address?.wsUrl}?token=${address?.token}`;
  try {
    const client = await WireClient.connect(url, 'one');
    const stage = { host, url, client, ...(await newSession(client, pathToFileURL(folder).href)) };
    const prepared = await prepare(stage);
    await client.request('subscribe', { channel: stage.session });
    await client.request('subscribe', { channel: stage.chat });
    await client.request('subscribe', { channel: ROOT });
    let receivedBytes = 0;
    client.socket.on('message', (data: Buffer) => {
      receivedBytes += data.length;
    });
    const { journal, path } = host.core.sync;
    const { bytes: before } = await journal.windowStats();
    const elements = await elementsDuring(async () => {
      await work(stage, prepared);
      await ping(client);
      await path.drain();
    });
    const journalBytes = (await journal.windowStats()).bytes - before;
    const closed = once(client.socket, 'close');
    client.socket.close();
    await closed;
    return { elements, journalBytes, receivedBytes };
  } finally {
    await host.stop();
  }
}

const none = (): Promise<void> => Promise.resolve();

type Shape = (count: number) => Promise<Work>;

const SHAPES: Readonly<Record<string, Shape>> = {
  'tool calls of one turn, one after the other': (count) =>
    costOf(none, (stage) =>
      turn(stage, async (output) => {
        for (let index = 0; index < count; index += 1) {
          const call = output.toolCall({ toolName: 'x', displayName: 'X' });
          call.run(READY);
          await call.complete(DONE);
          await nextRound();
        }
      }),
    ),
  'tool calls of one turn, side by side': (count) =>
    costOf(none, (stage) =>
      turn(stage, async (output) => {
        const calls = inOrder(count).map(() => output.toolCall({ toolName: 'x', displayName: 'X' }));
        for (const call of calls) call.run(READY);
        for (const call of calls) await call.complete(DONE);
      }),
    ),
  'chats of one session': (count) => costOf(none, async (stage) => void (await makeChats(stage, count))),
  'turns in many chats of one session': (count) =>
    costOf(
      (stage) => makeChats(stage, count),
      async ({ client }, chats) => {
        agent.play = none;
        for (const chat of chats) {
          client.dispatch(chat, started('t'));
          await ping(client);
        }
      },
    ),
  'chats of a session that is disposed of': (count) =>
    costOf(
      (stage) => makeChats(stage, count),
      async ({ client, session }) => void (await client.request('disposeSession', { channel: session })),
    ),
  'chats of an import': (count) =>
    costOf(none, async ({ client }) => {
      const channel = 'ahp-session:/imported';
      const entry = { title: 'Bread', status: 1, modifiedAt: '2026-01-01T00:00:00.000Z' };
      const chats = inOrder(count).map((index) => ({ ...entry, resource: `ahp-chat:/old-${index}` }));
      const session = { resource: 'ahp-session:/old', provider: 'played', title: 'Bread', status: 1 };
      await client.request('x-importSession', {
        channel,
        session: { ...session, lifecycle: 'ready' },
        chats,
      });
      await client.request('x-finishImport', { channel });
    }),
  'sessions, made and disposed of': (count) =>
    costOf(none, async ({ client }) => {
      const uris = inOrder(count).map((index) => `ahp-session:/${index}`);
      for (const channel of uris) await client.request('createSession', { channel });
      for (const channel of uris) await client.request('disposeSession', { channel });
    }),
  'forks of one chat': (count) =>
    costOf(
      (stage) => turn(stage, (output) => output.markdown('Hello')),
      async ({ client, session, chat, host }) => {
        const turnId = host.core.sync.registry.getOf('chat', chat)?.state.turns[0]?.id ?? '';
        for (const index of inOrder(count))
          await client.request('createChat', {
            channel: session,
            chat: `ahp-chat:/fork-${index}`,
            source: { kind: 'fork', chat, turnId },
          });
      },
    ),
  'questions that are open at once': (count) =>
    costOf(none, (stage) =>
      turn(stage, async (output) => {
        for (let index = 0; index < count; index += 1) {
          void output.ask({ message: 'And now?', questions: [] });
          await nextRound();
        }
      }),
    ),
  'new orders of a queue': (count) =>
    costOf(
      async ({ client, chat }) => {
        agent.play = () => new Promise(() => undefined);
        client.dispatch(chat, started('t'));
        for (const id of ['a', 'b', 'c'])
          client.dispatch(chat, {
            type: 'chat/pendingMessageSet',
            kind: 'queued',
            id,
            message: { text: id, origin: { kind: 'user' } },
          });
        await ping(client);
      },
      async ({ client, chat }) => {
        for (const index of inOrder(count)) {
          const order = index % 2 === 0 ? ['c', 'b', 'a'] : ['a', 'b', 'c'];
          client.dispatch(chat, { type: 'chat/queuedMessagesReordered', order });
        }
        await ping(client);
        client.dispatch(chat, { type: 'chat/turnCancelled', turnId: 't', duration: 0 });
      },
    ),
};

test.each(Object.entries(SHAPES))(
  'four times as many %s cost four times as much',
  async (_name, costOfShape) => {
    // A first run loads and compiles code, which must not count.
    await costOfShape(10);
    const few = await costOfShape(SMALL);
    const many = await costOfShape(FACTOR * SMALL);
    for (const kind of ['elements', 'journalBytes', 'receivedBytes'] as const)
      expect(many[kind], `${kind}: ${few[kind]} for ${SMALL}`).toBeLessThanOrEqual(AT_MOST * few[kind]);
  },
  120_000,
);
