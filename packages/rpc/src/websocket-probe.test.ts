import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type ServerTransport, WEBSOCKET_SERVER_OPTIONS, wrapServerSocket } from './websocket-server.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

/** Both ends of a connection over loopback. */
async function linked(): Promise<{ client: WebSocket; transport: ServerTransport }> {
  const http = createServer();
  const server = new WebSocketServer({ ...WEBSOCKET_SERVER_OPTIONS, server: http });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const client = new WebSocket(`ws://127.0.0.1:${address.port}/`, { perMessageDeflate: false });
  cleanups.push(() => {
    client.terminate();
    server.close();
    http.close();
  });
  const [[socket]] = await Promise.all([once(server, 'connection'), once(client, 'open')]);
  const transport = wrapServerSocket(socket);
  transport.start({ onFrame: () => undefined, onClose: () => undefined });
  return { client, transport };
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
const probe = ({ probe: ask }: ServerTransport): boolean | undefined => ask?.();

test('a probe pings an idle client, whose pong is a sign of life', async () => {
  const { client, transport } = await linked();
  expect(probe(transport)).toBe(false);
  await once(client, 'ping');
  // The pong is in transit.
  let isAlive = probe(transport);
  for (; isAlive === false; isAlive = probe(transport)) await turn();
  expect(isAlive).toBe(true);
});

test('every frame of a client is a sign of life', async () => {
  const { client, transport } = await linked();
  expect(probe(transport)).toBe(false);
  await once(client, 'ping');
  while (probe(transport) === false) await turn();
  client.pause();
  expect(probe(transport)).toBe(false);
  client.send('a frame');
  let isAlive = probe(transport);
  for (; isAlive === false; isAlive = probe(transport)) await turn();
  expect(isAlive).toBe(true);
});

test('takenBytes grows while the client reads, also within one frame, and never shrinks', async () => {
  const { client, transport } = await linked();
  client.pause();
  transport.send('x'.repeat(30_000_000));
  await turn();
  let taken = -1;
  for (; taken !== transport.takenBytes; await turn()) taken = transport.takenBytes;
  expect(taken).toBeLessThan(30_000_000);
  client.resume();
  while (transport.takenBytes === taken) await turn();
  expect(transport.takenBytes).toBeGreaterThan(taken);
  while (transport.bufferedBytes > 0) await turn();
  expect(transport.takenBytes).toBeGreaterThan(30_000_000);
  const all = transport.takenBytes;
  transport.terminate();
  expect(transport.takenBytes).toBe(all);
});

test('a terminated connection closes at once for a client with unread data', async () => {
  const { client, transport } = await linked();
  client.on('error', () => undefined); // The error is followed by 'close'.
  client.pause();
  transport.send('x'.repeat(30_000_000));
  await turn();
  transport.terminate();
  const closed = once(client, 'close');
  client.resume();
  let received = 0;
  client.on('message', () => {
    received += 1;
  });
  const [code] = await closed;
  expect([code, received]).toEqual([1006, 0]);
});

test('a client that stops reading gives no sign of life, and one that resumes reading does', async () => {
  const { client, transport } = await linked();
  client.pause();
  transport.send('x'.repeat(30_000_000));
  await turn();
  // Wait until the operating system's buffers are full.
  while (probe(transport) === true) await turn();
  for (let count = 0; count < 5; count += 1) {
    await turn();
    expect(probe(transport)).toBe(false);
  }
  client.resume();
  let isAlive = probe(transport);
  for (; isAlive === false; isAlive = probe(transport)) await turn();
  expect(isAlive).toBe(true);
  expect(transport.bufferedBytes).toBeGreaterThan(0);
});
