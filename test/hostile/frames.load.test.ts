import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from '../kill/host-process.ts';
import { RudeClient } from './rude-client.ts';

/** Time limit for an answer to a well-behaved client, with room for a busy machine. */
const PROMPT_MS = 5_000;

let folder = '';
let host: HostProcess;
let polite: RudeClient;
const clients: RudeClient[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-hostile-'));
  host = new HostProcess(join(folder, 'data'), folder);
  await host.start();
  polite = await RudeClient.connect(host.address);
  await polite.initialize('polite');
}, 60_000);

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  expect(host.isRunning, host.errors).toBe(true);
  expect(await polite.pingMs()).toBeLessThan(PROMPT_MS);
});

afterAll(async () => {
  await polite.close();
  await host.stop();
  await rm(folder, { recursive: true });
});

async function rude(keepsAnswers = true): Promise<RudeClient> {
  const client = await RudeClient.connect(host.address, keepsAnswers);
  clients.push(client);
  return client;
}

/** Resident memory of the host, in MiB. */
async function residentMiB(): Promise<number> {
  // Other platforms than Linux have no such file; the bound is not checked there.
  if (process.platform !== 'linux') return 0;
  const status = await readFile(`/proc/${host.address.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

describe('invalid frames', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  test.each([
    ['truncated JSON', '{"jsonrpc":"2.0","id":5,"method":"pi', -32700],
    ['no JSON at all', '\u0000\u0001rubbish', -32700],
    ['an empty frame', '', -32700],
    ['a number', '5', -32600],
    ['a batch', '[{"jsonrpc":"2.0","id":5,"method":"ping"}]', -32600],
    [
      'an unknown method',
      '{"jsonrpc":"2.0","id":5,"method":"__proto__","params":{"channel":"ahp-root://"}}',
      -32601,
    ],
    ['params of the wrong type', '{"jsonrpc":"2.0","id":5,"method":"subscribe","params":"x"}', -32602],
    [
      'a channel of the wrong type',
      '{"jsonrpc":"2.0","id":5,"method":"subscribe","params":{"channel":{}}}',
      -32602,
    ],
    [
      'a version list of the wrong type',
      '{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"channel":"ahp-root://","clientId":1,"protocolVersions":"0.5.2"}}',
      -32602,
    ],
  ])('[WIRE-3] %s is answered with its code, and the connection goes on', async (_, text, code) => {
    const client = await rude();
    await client.initialize('rude');
    client.answers.length = 0;
    expect((await client.answerTo(text))?.error?.code).toBe(code);
    expect(await client.pingMs()).toBeLessThan(PROMPT_MS);
  });

  test('[WIRE-3] nesting of a hundred thousand levels is refused and costs nothing', async () => {
    const client = await rude();
    const answer = await client.answerTo(
      `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"channel":${deep}}}`,
    );
    expect([-32700, -32600, -32602]).toContain(answer?.error?.code);
    expect(await client.pingMs()).toBeLessThan(PROMPT_MS);
  });

  test('a binary frame closes only its own connection', async () => {
    const client = await rude();
    client.socket.send(Buffer.from([1, 2, 3]));
    expect(await client.closed).toBe(1003);
  });
});

describe('too much', () => {
  test('a frame of 100 MB closes its connection with 1009, and the host does not buffer it', async () => {
    const client = await rude();
    const before = await residentMiB();
    client.socket.send(
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'y'.repeat(100_000_000)}"}}`,
    );
    expect(await client.closed).toBe(1009);
    expect((await residentMiB()) - before).toBeLessThan(80);
  });

  test.each([
    ['pings', '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"channel":"ahp-root://"}}'],
    ['unknown methods', '{"jsonrpc":"2.0","id":1,"method":"x"}'],
    ['broken frames', '{'],
    [
      'dispatches',
      '{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-chat:/none","clientSeq":1,"action":{"type":"x"}}}',
    ],
  ])(
    'a flood of %s for a few seconds does not delay answers to other clients',
    async (_, frame) => {
      const client = await rude(false);
      const { sent, slowestPingMs } = await flood(client, frame, { count: 1_000_000, withinMs: 2_500 });
      expect(sent).toBeGreaterThan(10_000);
      expect(slowestPingMs).toBeLessThan(PROMPT_MS);
    },
    60_000,
  );

  test('a client that never reads is disconnected, costs little memory and affects no other client', async () => {
    const session = 'ahp-session:/torrent';
    expect(
      (await polite.request('createSession', { channel: session, provider: 'demo' })).error,
    ).toBeUndefined();
    const subscribed = await polite.request('subscribe', { channel: session });
    const { defaultChat: chat } = JSON.parse(JSON.stringify(subscribed.result)).snapshot.state;
    const deaf = await deafSubscriber(chat);
    const before = await residentMiB();
    const prompt = 'stream 100000 every 1 of 4000';
    const action = {
      type: 'chat/turnStarted',
      startedAt: '2026-06-01T00:00:00.000Z',
      turnId: 't1',
      message: { text: prompt, origin: { kind: 'user' } },
    };
    const params = { channel: chat, clientSeq: 1, action };
    polite.socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'dispatchAction', params }));
    const pings: number[] = [];
    do pings.push(await polite.pingMs());
    while (await Promise.race([deaf.ended.then(() => false), after(20)]));
    expect(Math.max(...pings)).toBeLessThan(PROMPT_MS);
    expect((await residentMiB()) - before).toBeLessThan(150);
    // The client gets the close before the log is written.
    const log = (): Promise<string> => readFile(join(folder, 'data', 'agenthost.log'), 'utf8');
    await expect.poll(log).toContain('reads too slowly');
    const cancel = {
      channel: chat,
      clientSeq: 2,
      action: { type: 'chat/turnCancelled', turnId: 't1', duration: 0 },
    };
    polite.socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'dispatchAction', params: cancel }));
  }, 60_000);
});

/** Sends one frame again and again at full speed, and times the pings of another client meanwhile. */
async function flood(
  client: RudeClient,
  frame: string,
  { count, withinMs }: { count: number; withinMs: number },
): Promise<{ sent: number; slowestPingMs: number }> {
  const end = performance.now() + withinMs;
  const pings: number[] = [];
  let sent = 0;
  while (sent < count && performance.now() < end && client.socket.readyState === client.socket.OPEN) {
    for (let burst = 0; burst < 500; burst += 1) client.socket.send(frame);
    sent += 500;
    if (client.socket.bufferedAmount > 1_000_000) {
      // The host limits its reading: a megabyte of the shortest frames takes it half a minute.
      const isRead = new Promise((resolve) => client.socket.send(frame, resolve));
      await Promise.race([isRead, after(end - performance.now())]);
    }
    if (sent % 25_000 === 0) pings.push(await polite.pingMs());
  }
  pings.push(await polite.pingMs());
  return { sent, slowestPingMs: Math.max(...pings) };
}

/** Resolves to true after this time. */
const after = (ms: number): Promise<boolean> => new Promise((resolve) => setTimeout(() => resolve(true), ms));

/** A socket that completes the handshake, subscribes and never reads again. `ended` resolves when the host has closed it. */
async function deafSubscriber(chat: string): Promise<{ ended: Promise<void> }> {
  const client = await rude();
  await client.initialize('deaf');
  await client.request('subscribe', { channel: chat });
  const raw: unknown = Reflect.get(client.socket, '_socket');
  if (!(raw instanceof Duplex)) throw new Error('ws keeps its stream elsewhere now');
  client.socket.pause();
  return {
    ended: new Promise((resolve) => {
      // A client that does not read learns of the close only when it writes. It writes frames without an answer, since `ws` itself closes a
      // peer that reads no pongs.
      const gone = { jsonrpc: '2.0', method: 'unsubscribe', params: { channel: 'ahp-chat:/none' } };
      const knock = setInterval(() => client.socket.send(JSON.stringify(gone)), 50);
      raw.once('close', () => {
        clearInterval(knock);
        resolve();
      });
    }),
  };
}
