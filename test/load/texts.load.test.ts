// Texts of 12 MB, sent now or stored by an earlier build without limits, block no other client and take little memory.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { POLITE, ROOT, stateOf, succeed } from '../hostile/fuzz/world.ts';
import { RudeClient } from '../hostile/rude-client.ts';
import { HostProcess } from '../kill/host-process.ts';

const MEBIBYTE = 1024 * 1024;
const COUNT = 14;
const huge = 'h'.repeat(12 * MEBIBYTE);
const message = { text: huge, origin: { kind: 'user' } };

/** An idle host takes about 120 MiB. */
const MOST_PEAK_MIB = 400;

/** The host loads stored texts unchanged, 168 MB of one chat at once. */
const MOST_PEAK_LOADED_MIB = 1_200;

/** Limit for the size of one message to a client, in bytes. */
const MOST_FRAME = 16 * MEBIBYTE;

async function stage() {
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-texts-'));
  const dataDir = await mkdtemp(join(tmpdir(), 'agenthost-data-'));
  const host = new HostProcess(dataDir, folder, ['--no-keeper']);
  onTestFinished(async () => {
    await host.stop();
    await rm(folder, { recursive: true });
    await rm(dataDir, { recursive: true });
  });
  await host.start();
  return { host, dataDir };
}

/** A client that records the size of its largest received message. */
async function connect(host: HostProcess, clientId = POLITE) {
  const client = await RudeClient.connect(host.address);
  const seen = { largest: 0 };
  client.socket.on('message', (data: Buffer) => {
    seen.largest = Math.max(seen.largest, data.length);
  });
  await client.initialize(clientId);
  await stateOf(client, ROOT);
  return { client, seen };
}

async function peakMiB({ address }: HostProcess): Promise<number> {
  if (process.platform !== 'linux') return 0;
  return Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${address.pid}/status`, 'utf8'))?.[1]) / 1024;
}

const sessions = Array.from({ length: COUNT }, (_, index) => `ahp-session:/s${index}`);

async function chatIn(client: RudeClient, session: string): Promise<string> {
  await succeed(client, 'createSession', { channel: session, provider: 'demo' });
  const { defaultChat } = await stateOf(client, session, ({ lifecycle }) => lifecycle === 'ready');
  return String(defaultChat);
}

test('14 titles and 14 queued messages of 12 MB are refused, and delay no other client', async () => {
  const { host } = await stage();
  const { client, seen } = await connect(host);
  const chat = await chatIn(client, 'ahp-session:/s0');
  for (const uri of sessions.slice(1)) await chatIn(client, uri);
  const root = await connect(host, 'root');
  for (const uri of sessions) client.dispatch(uri, { type: 'session/titleChanged', title: huge });
  for (let index = 0; index < COUNT; index += 1)
    client.dispatch(chat, { type: 'chat/pendingMessageSet', kind: 'queued', id: `q${index}`, message });
  await succeed(client, 'ping', { channel: ROOT });
  const { items } = JSON.parse(JSON.stringify(await succeed(root.client, 'listSessions', { channel: ROOT })));
  expect(items).toHaveLength(COUNT);
  expect(await stateOf(root.client, chat)).not.toHaveProperty('queuedMessages');
  expect(Math.max(seen.largest, root.seen.largest)).toBeLessThan(MEBIBYTE);
  const peak = await peakMiB(host);
  console.log(`sent: peak ${peak.toFixed(0)} MiB, largest message ${seen.largest} bytes`);
  expect(peak).toBeLessThan(MOST_PEAK_MIB);
}, 120_000);

test('texts stored by a build without limits are listed, opened and removed in bounded memory', async () => {
  const { host, dataDir } = await stage();
  const maker = await connect(host);
  const chat = await chatIn(maker.client, 'ahp-session:/s0');
  for (const uri of sessions.slice(1)) await chatIn(maker.client, uri);
  await maker.client.close();
  await host.stop();
  const database = new DatabaseSync(join(dataDir, 'journal.db'));
  const queued = Array.from({ length: COUNT }, (_, index) => ({ id: `q${index}`, message }));
  const change = (uri: string, with_: (state: object) => object): void => {
    const row = database.prepare('SELECT state FROM states WHERE channel = ?').get(uri);
    const state = JSON.stringify(with_(JSON.parse(String(row?.['state']))));
    database.prepare('UPDATE states SET state = ? WHERE channel = ?').run(state, uri);
  };
  for (const uri of sessions) {
    change(uri, (state) => ({ ...state, title: huge }));
    const row = database.prepare('SELECT summary FROM sessions WHERE uri = ?').get(uri);
    const summary = JSON.stringify({ ...JSON.parse(String(row?.['summary'])), title: huge });
    database.prepare('UPDATE sessions SET summary = ? WHERE uri = ?').run(summary, uri);
    const { local } = database.prepare('SELECT local FROM channels WHERE uri = ?').get(uri) ?? {};
    const named = JSON.stringify({ ...JSON.parse(String(local)), summary: JSON.parse(summary) });
    database.prepare('UPDATE channels SET local = ? WHERE uri = ?').run(named, uri);
  }
  change(chat, (state) => ({ ...state, queuedMessages: queued }));
  database.close();

  await host.start();
  const { client, seen } = await connect(host);
  const listedMs: number[] = [];
  for (const limit of [undefined, 20]) {
    const began = performance.now();
    const answer = await succeed(client, 'listSessions', { channel: ROOT, ...(limit && { limit }) });
    listedMs.push(Math.round(performance.now() - began));
    const { items }: { items: { title: string }[] } = JSON.parse(JSON.stringify(answer));
    expect(items.map(({ title }) => title.length)).toEqual(sessions.map(() => 512));
  }
  const opened = performance.now();
  const state = await stateOf(client, chat);
  const openedMs = performance.now() - opened;
  expect(state['queuedMessages']).toHaveLength(COUNT);
  for (const { id } of queued)
    client.dispatch(chat, { type: 'chat/pendingMessageRemoved', kind: 'queued', id });
  for (const uri of sessions.slice(1)) await succeed(client, 'disposeSession', { channel: uri });
  expect(await stateOf(client, chat)).not.toHaveProperty('queuedMessages');
  const peak = await peakMiB(host);
  console.log(
    `stored: peak ${peak.toFixed(0)} MiB, largest message ${seen.largest} bytes, listed in ${listedMs.join(' and ')} ms, opened in ${openedMs.toFixed(0)} ms`,
  );
  expect(seen.largest).toBeLessThan(MOST_FRAME);
  expect(peak).toBeLessThan(MOST_PEAK_LOADED_MIB);
}, 120_000);
