import { pathToFileURL } from 'node:url';
import type { Measured } from './bar.ts';
import { BenchProcess, withFolder } from './process.ts';
import { newSession, WireClient } from './wire.ts';

const IDLE = 1_000;
const ACTIVE = 200;
/** Limits for the memory of one session, in bytes: idle, and in a running turn with a subscriber. */
const IDLE_BYTES = 1_000;
const ACTIVE_BYTES = 50_000;

/** Heap of the host per session after collection: idle after one turn, and in a running turn with a subscriber. */
export async function sessionMemory(): Promise<Measured[]> {
  return withFolder(async (folder) => {
    const host = new BenchProcess('./memory-host.ts', ['--expose-gc']);
    try {
      const { wsUrl } = await host.ask<{ wsUrl: string }>({ kind: 'start', folder });
      const heap = async (): Promise<number> =>
        (await host.ask<{ heapBytes: number }>({ kind: 'heap' })).heapBytes;
      const client = await WireClient.connect(wsUrl, 'driver');
      const run = async (count: number, text: string, until: string): Promise<void> => {
        for (let index = 0; index < count; index += 1)
          await oneTurn(client, pathToFileURL(folder).href, { text, until });
      };
      // Code that the first sessions load must not count.
      await run(ACTIVE, 'say Warm.', 'chat/turnComplete');
      const before = await heap();
      await run(IDLE, 'say Done.', 'chat/turnComplete');
      const idle = await heap();
      await run(ACTIVE, 'hang', 'chat/turnStarted');
      const active = await heap();
      await client.close();
      return [
        measured('idle', (idle - before) / IDLE, IDLE_BYTES),
        measured('active', (active - idle) / ACTIVE, ACTIVE_BYTES),
      ];
    } finally {
      await host.end();
    }
  });
}

function measured(kind: string, bytes: number, most: number): Measured {
  const text = (value: number): string => `${(value / 1_000).toFixed(1)} kB`;
  const ratio = Math.max(0, bytes) / most;
  return {
    name: `heap of each ${kind} session`,
    figure: text(bytes),
    baseline: text(most),
    ratio,
    bar: { atMost: 1 },
  };
}

/** Makes a session with one turn, and unsubscribes from its chat when the turn completes. */
async function oneTurn(
  client: WireClient,
  workingDirectory: string,
  { text, until }: { text: string; until: string },
): Promise<void> {
  const { chat } = await newSession(client, workingDirectory);
  await client.request('subscribe', { channel: chat });
  const seen = new Promise<void>((resolve) => {
    const look = (frame: unknown): void => {
      if (!String(frame).includes(`"${until}"`)) return;
      client.socket.off('message', look);
      resolve();
    };
    client.socket.on('message', look);
  });
  const message = { text, origin: { kind: 'user' }, model: { id: 'demo-fast' } };
  client.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId: crypto.randomUUID(),
    startedAt: new Date().toISOString(),
    message,
  });
  await seen;
  if (until !== 'chat/turnComplete') return;
  client.socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'unsubscribe', params: { channel: chat } }));
}
