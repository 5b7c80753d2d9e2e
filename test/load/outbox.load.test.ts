import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createClient } from '@agenthost/client';
import { connectWebSocket } from '@agenthost/rpc/websocket';
import { observeTransport } from '@agenthost/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sample } from '../../bench/measured-host.ts';
import { type BenchProcess, measuredHost } from '../../bench/process.ts';
import { SlowReader } from '../../bench/slow-reader.ts';
import { newSession, WireClient } from '../../bench/wire.ts';
import { wireTurn } from '../../bench/wire-turn.ts';
import { SlowLink } from '../terminals/slow-link.ts';

const MEGABYTE = 1_000_000;

let folder = '';
let host: BenchProcess;
let url = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-outbox-'));
  host = measuredHost();
  ({ url } = await host.ask<{ url: string }>({
    kind: 'start',
    folder,
    isShort: true,
    allowedHosts: ['127.0.0.1'],
  }));
});

afterEach(async () => {
  await host.end();
  await rm(folder, { recursive: true, force: true });
});

const memoryOf = ({ heapBytes, externalBytes }: Sample): number => heapBytes + externalBytes;
const sample = (): Promise<Sample> => host.ask<Sample>({ kind: 'sample' });

async function open(): Promise<{ owner: WireClient; chat: string }> {
  const owner = await WireClient.connect(url, 'owner');
  const { chat } = await newSession(owner, pathToFileURL(folder).href);
  await owner.request('subscribe', { channel: chat, view: { turns: 1 } });
  return { owner, chat };
}

test('clients that never read cost bounded memory each, are disconnected one by one, and affect no other client', async () => {
  const { owner, chat } = await open();
  const flood = async (rounds: number): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      await wireTurn(owner, chat, 'stream 1500 every 0 of 4000');
      // Keeps the memory of the chat itself constant.
      owner.dispatch(chat, { type: 'chat/truncated' });
    }
    await owner.request('ping', { channel: 'ahp-root://' });
  };
  await flood(2);
  const before = memoryOf(await sample());
  const deaf = await Promise.all(
    Array.from({ length: 5 }, async (_, index) => {
      const reader = await SlowReader.connect(url, `deaf-${index}`, 0);
      reader.ask('subscribe', { channel: chat, view: { turns: 1 } });
      return reader;
    }),
  );
  // Floods of 6 and 24 MB: far below the hard limit with the buffers of the operating system, and far above it.
  await flood(1);
  const waiting = memoryOf(await sample()) - before;
  expect(deaf.filter(({ isOpen }) => isOpen)).toHaveLength(5);
  expect(waiting).toBeLessThan(5 * 9 * MEGABYTE);
  await flood(4);
  // A client that does not read learns of its disconnection when it writes.
  for (; deaf.some(({ isOpen }) => isOpen); await pause(50))
    for (const reader of deaf) if (reader.isOpen) reader.ask('ping', { channel: 'ahp-root://' });
  expect(owner.socket.readyState).toBe(owner.socket.OPEN);
  expect(memoryOf(await sample()) - before).toBeLessThan(9 * MEGABYTE);
  await owner.close();
}, 120_000);

test('a client that is disconnected because it did not read reconnects and gets the missed envelopes', async () => {
  const { owner, chat } = await open();
  const target = new URL(url);
  const speed = { delayMs: 0, bytesPerSecond: 20_000 };
  const link = await SlowLink.open(Number(target.port), speed);
  target.port = String(link.port);
  const returns: string[] = [];
  const client = createClient({
    clientId: 'sleeper',
    backoff: { minMs: 10, maxMs: 50 },
    transport: async (signal) =>
      observeTransport(await connectWebSocket(target.href, { signal }), {
        envelope: () => undefined,
        reconnected: (type) => void returns.push(type),
      }),
  });
  await client.connect();
  const mirror = await client.subscribe(chat, { kind: 'chat', turns: 2 });
  const lost = new Promise<void>((resolve) => {
    client.onStatus(({ state }) => {
      if (state === 'waiting') resolve();
    });
  });
  // The reconnect uses a faster line.
  speed.bytesPerSecond = 1_000_000_000;
  for (let round = 0; round < 5; round += 1) await wireTurn(owner, chat, 'stream 1500 every 0 of 4000');
  await lost;
  await client.whenOnline();
  await client.ping();
  expect(returns).toHaveLength(1);
  const { snapshot } = await owner.request<{ snapshot: { state: { turns: { id: string }[] } } }>(
    'subscribe',
    {
      channel: chat,
      view: { turns: 2 },
    },
  );
  expect(mirror.confirmed.turns.slice(-2)).toEqual(snapshot.state.turns);
  client.close();
  await owner.close();
  await link.close();
}, 120_000);

test('a client that asks for large states and never reads is disconnected in seconds, costs bounded memory, and blocks no other client', async () => {
  const { owner, chat } = await open();
  for (let round = 0; round < 3; round += 1) await wireTurn(owner, chat, 'stream 800 every 0 of 4000');
  type Answer = { snapshot: { state: { turns: object[]; turnsNextCursor?: string } } };
  const ask = (): Promise<Answer> => owner.request<Answer>('subscribe', { channel: chat });
  const { state } = (await ask()).snapshot;
  // Two of three turns of 3.2 MB fit into 8 MiB.
  expect([state.turns.length, state.turnsNextCursor]).toEqual([2, 'before-1']);
  const before = memoryOf(await sample());
  const deaf = await SlowReader.connect(url, 'deaf', 0);
  for (let count = 0; count < 100; count += 1) deaf.ask('subscribe', { channel: chat });
  let most = 0;
  for (let count = 0; deaf.isOpen; count += 1) {
    most = Math.max(most, memoryOf(await sample()) - before);
    await owner.request('ping', { channel: 'ahp-root://' });
    // A client that does not read learns of its disconnection when it writes.
    deaf.ask('ping', { channel: 'ahp-root://' });
    await pause(200);
  }
  expect(most).toBeGreaterThan(30 * MEGABYTE);
  expect(most).toBeLessThan(120 * MEGABYTE);
  expect((await ask()).snapshot.state).toEqual(state);
  expect(memoryOf(await sample()) - before).toBeLessThan(10 * MEGABYTE);
  await owner.close();
}, 120_000);
