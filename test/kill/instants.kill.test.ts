import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AhpClient } from '@agenthost/client';
import type { ChatState } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeFolder } from '../remove-folder.ts';
import { Copies } from './copies.ts';
import { Everything } from './everything.ts';
import { Evidence } from './evidence.ts';
import { HostProcess } from './host-process.ts';
import { JournalReader } from './journal-reader.ts';
import { endKeepers } from './processes.ts';
import { Witness } from './witness.ts';

/** Number of commits. The host is killed before and after each of them. */
const COMMITS = 7;
const MOMENTS = ['before', 'after'] as const;
const preload = join(import.meta.dirname, 'kill-at-commit.ts');

const counts = {
  ...{ kills: 0, forkChat: 0, forkSession: 0, truncation: 0, import: 0, whole: 0, absent: 0 },
  commandsGoOn: 0,
};
const evidence = new Evidence();
const copies = new Copies();
const channels = new Set(['ahp-root://']);
let folder = '';
let host: HostProcess;
let reader: JournalReader;
let witness: Witness;

const url = (): string => `${host.address.wsUrl}?token=${host.address.token}`;
const order = (): string => join(folder, 'order');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-instants-'));
  const through = ['env', `NODE_OPTIONS=--import=${preload}`, `KILL_ORDER=${order()}`];
  host = new HostProcess(join(folder, 'data'), folder, [], through);
  reader = new JournalReader();
  await host.start();
  witness = new Witness('witness', url);
  await witness.client.connect();
}, 60_000);

afterAll(async () => {
  witness.client.close();
  await reader.close();
  await host.stop();
  await endKeepers(join(folder, 'data'));
  await removeFolder(folder);
}, 60_000);

describe('a host that is killed right before and right after each commit of running operations', () => {
  test('[CONN-4] [CONN-6] [CONN-22] [CHAT-5] [CHAT-12] [CHAT-46] [SESS-12] ends open turns, holds the queue, and leaves nothing half done', async () => {
    for (let commit = 1; commit <= COMMITS; commit += 1)
      for (const moment of MOMENTS) await playOnce(`${moment} ${commit}`);
    process.stdout.write(`kill test of instants: ${JSON.stringify(counts)}\n`);
    expect(counts.kills).toBe(COMMITS * MOMENTS.length);
    // Each operation was without an answer at some kill.
    for (const count of [counts.forkChat, counts.forkSession, counts.truncation, counts.import])
      expect(count).toBeGreaterThan(0);
    // One that an agent has sent to the background, and one whose turn has ended.
    expect(counts.commandsGoOn).toBe(2 * counts.kills);
    expect(counts.whole).toBeGreaterThanOrEqual(3);
    expect(counts.absent).toBeGreaterThanOrEqual(3);
  }, 600_000);
});

async function playOnce(instant: string): Promise<void> {
  witness.forget();
  const all = new Everything(instant.replace(' ', '-'), witness);
  await all.build();
  for (const uri of [all.uri, all.importUri, all.forkedSession, all.forkedChat]) channels.add(uri);
  for (const { uri } of all.chats) channels.add(uri);
  await writeFile(order(), instant);
  const done = new Set<string>();
  const under = Object.entries(all.begin()).map(async ([name, promise]) => {
    const isDone = await promise.then(
      (answer) => !(isObject(answer) && 'outcome' in answer && answer.outcome !== 'accepted'),
      () => false,
    );
    if (isDone && host.isRunning) done.add(name);
  });
  await killed(all.uri);
  const answered = new Set(done);
  for (const name of ['forkChat', 'forkSession', 'truncation', 'import'] as const)
    if (!answered.has(name)) counts[name] += 1;
  expect(all.missing(), instant).toEqual([]);
  counts.kills += 1;
  await rm(order());
  const { forkedTurns } = all;
  copies.add({ uri: all.forkedChat, turns: forkedTurns, isSure: answered.has('forkChat') });

  await host.kill();
  evidence.add(await reader.read(join(folder, 'data'), evidence.lastJournaled, [...channels]));
  for (const envelope of witness.seen) evidence.expectJournaled(envelope);
  await host.start();
  await lookAround(all, instant, answered);
  await witness.back();
  await Promise.all(under);
  expect(witness.reconnects.at(-1), instant).toBe('replay');
  await agree(all, instant);
  for (const envelope of witness.seen) evidence.expectLater(envelope);
  copies.drop(all.forkedChat);
  await witness.client.request('disposeSession', { channel: all.uri });
}

/**
 * Resolves when the host has been killed. A busy machine gathers the operations in fewer commits than the test counts; new titles bring
 * the missing ones.
 */
async function killed(session: string): Promise<void> {
  let changes = 0;
  const more = setInterval(() => {
    changes += 1;
    void witness.client.dispatch(session, { type: 'session/titleChanged', title: `change ${changes}` });
  }, 1_000);
  await witness.offline();
  clearInterval(more);
}

/** Checks the state that a new client finds. */
async function lookAround(all: Everything, instant: string, answered: ReadonlySet<string>): Promise<void> {
  const newcomer = new Witness(`newcomer ${instant}`, url);
  const { client } = newcomer;
  try {
    await client.connect();
    const session = await client.subscribe(all.uri, { kind: 'session' });
    expect(session.confirmed.inputNeeded ?? [], instant).toEqual([]);
    for (const { uri } of all.chats) {
      const { confirmed } = await client.subscribe(uri, { kind: 'chat' });
      expect(confirmed.activeTurn, `${uri}, ${instant}`).toBeUndefined();
      const last = confirmed.turns.at(-1);
      if (last?.id.startsWith('open-') === true)
        expect(last.responseParts.at(-1), uri).toEqual({
          kind: 'error',
          error: expect.objectContaining({ errorType: 'hostRestarted' }),
          // The host itself runs commands, and cannot continue them.
          ...(uri.endsWith('-terminal') ? {} : { resumable: true }),
        });
      await expectWork(client, confirmed, instant);
      if (uri.endsWith('-queue'))
        expect(
          confirmed.queuedMessages?.map(({ id }) => id),
          instant,
        ).toEqual(['first', 'second']);
      if (uri.endsWith('-past')) expect(confirmed.steeringMessage, instant).toMatchObject({ id: 's' });
    }
    await copies.check(client);
    await expectForkedSession(client, all, instant, answered);
    await expectImport(client, all, instant, answered);
  } finally {
    client.close();
  }
}

/** No worker is listed after a restart, and only commands that still run [CONN-22]. */
async function expectWork(client: AhpClient, { backgroundWork = [] }: ChatState, instant: string) {
  expect(
    backgroundWork.filter(({ kind }) => kind !== 'shell'),
    instant,
  ).toEqual([]);
  for (const work of backgroundWork) {
    if (work.kind !== 'shell' || typeof work.terminal !== 'string') continue;
    const { confirmed } = await client.subscribe(work.terminal, { kind: 'terminal' });
    expect(confirmed.lifecycle, instant).toEqual({ status: 'running' });
    counts.commandsGoOn += 1;
  }
}

/** The forked session has all turns of its chats, or does not exist. */
async function expectForkedSession(
  client: AhpClient,
  all: Everything,
  instant: string,
  answered: ReadonlySet<string>,
): Promise<void> {
  const session = await subscribed(client, all.forkedSession);
  if (session === undefined) {
    expect(answered.has('forkSession'), `${instant}: an answered fork is gone`).toBe(false);
    counts.absent += 1;
    return;
  }
  if (!('chats' in session)) throw new Error(`${all.forkedSession} is no session`);
  const turns = await Promise.all(
    session.chats.map(
      async ({ resource }) => (await client.subscribe(resource, { kind: 'chat' })).confirmed.turns,
    ),
  );
  expect(
    turns.map((each) => each.map(({ message }) => message.text)),
    instant,
  ).toContainEqual(all.forkedTurns.map(({ message }) => message.text));
  counts.whole += 1;
}

/** The import has all turns, or none and a session that reports the failure. */
async function expectImport(
  client: AhpClient,
  all: Everything,
  instant: string,
  answered: ReadonlySet<string>,
): Promise<void> {
  const session = await subscribed(client, all.importUri);
  if (session === undefined || !('chats' in session))
    throw new Error(`${instant}: the import is not told of`);
  if (session.lifecycle === 'failed' && session.chats.length === 0) {
    expect(answered.has('import'), `${instant}: a finished import is gone`).toBe(false);
    expect(session.creationError, instant).toMatchObject({ errorType: 'importInterrupted' });
    counts.absent += 1;
    return;
  }
  const [chat] = session.chats;
  const { confirmed } = await client.subscribe(chat?.resource ?? '', { kind: 'chat' });
  expect(
    confirmed.turns.map(({ id }) => id),
    instant,
  ).toEqual(['imported-1', 'imported-2']);
  counts.whole += 1;
}

/** The state of a channel, or `undefined` when it does not exist. */
async function subscribed(client: AhpClient, uri: string) {
  try {
    return (await client.subscribe(uri, { kind: 'session' })).confirmed;
  } catch (error) {
    if (error instanceof RpcError && [-32008, -32001].includes(error.code)) return undefined;
    throw error;
  }
}

/** Checks that the witness's mirrors equal the host's state, and that a truncation is done completely or not at all. */
async function agree(all: Everything, instant: string): Promise<void> {
  const auditor = new Witness(`auditor ${instant}`, url);
  try {
    await auditor.client.connect();
    await witness.client.ping();
    for (const mirror of all.chats) {
      const truth = await auditor.client.subscribe(mirror.uri, { kind: 'chat' });
      expect(mirror.state, `${mirror.uri}, ${instant}`).toEqual(truth.confirmed);
    }
    expect([1, 3], instant).toContain(all.chat('cut').confirmed.turns.length);
  } finally {
    auditor.client.close();
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
