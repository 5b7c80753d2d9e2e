import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect as connectTcp, Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocketServer, type WebSocket as WsSocket } from 'ws';
import type { AnyMethods } from './methods.ts';
import { Peer } from './peer.ts';
import type { CloseInfo, Transport } from './transport.ts';
import { type ConnectFailed, connectSocket, connectWebSocket } from './websocket.ts';
import { type ServerTransport, WEBSOCKET_SERVER_OPTIONS, wrapServerSocket } from './websocket-server.ts';

const cleanups: (() => void | Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Harness {
  url: string;
  /** The server's end of the next connection. */
  next(): Promise<{ socket: WsSocket; transport: ServerTransport; headers: Record<string, unknown> }>;
}

async function listen(maxFrameBytes?: number, http: Server = createServer()): Promise<Harness> {
  const server = new WebSocketServer({
    ...WEBSOCKET_SERVER_OPTIONS,
    server: http,
    ...(maxFrameBytes === undefined ? {} : { maxPayload: maxFrameBytes }),
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  cleanups.push(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
    http.close();
    return once(http, 'close');
  });
  return {
    url: `ws://127.0.0.1:${address.port}/ahp`,
    next: () =>
      new Promise((resolve) =>
        server.once('connection', (socket, { headers }) => {
          resolve({ socket, headers, transport: wrapServerSocket(socket) });
        }),
      ),
  };
}

async function linked(
  harness: Harness,
  options = {},
): Promise<{ client: Transport; server: Awaited<ReturnType<Harness['next']>> }> {
  const [server, client] = await Promise.all([harness.next(), connectWebSocket(harness.url, options)]);
  return { client, server };
}

function watch(transport: Transport) {
  const frames: string[] = [];
  const waiting: (() => void)[] = [];
  const closed = new Promise<CloseInfo>((resolve) => {
    transport.start({
      onFrame: (frame) => {
        frames.push(frame);
        for (const wake of waiting.splice(0)) wake();
      },
      onClose: resolve,
    });
  });
  const frame = async (index: number): Promise<string> => {
    while (frames.length <= index) await new Promise<void>((wake) => waiting.push(wake));
    return frames[index] ?? '';
  };
  return { frames, closed, frame };
}

test('[WIRE-1] [WIRE-5] a real WebSocket carries one message per text frame, with requests from both ends', async () => {
  const { client, server } = await linked(await listen());
  const left = new Peer<AnyMethods, AnyMethods>(client);
  const right = new Peer<AnyMethods, AnyMethods>(server.transport);
  left.handle('who', () => 'client');
  right.handle('who', () => 'host');
  left.start();
  right.start();
  await expect(Promise.all([left.request('who', {}), right.request('who', {})])).resolves.toEqual([
    'host',
    'client',
  ]);
});

test('frames sent before the listeners are set are kept, and corked frames arrive in order', async () => {
  const { client, server } = await linked(await listen());
  server.transport.cork();
  const stream: unknown = Reflect.get(server.socket, '_socket');
  expect(stream instanceof Socket && stream.writableCorked).toBe(1);
  server.transport.send('one');
  server.transport.sendBytes(Buffer.from('two 漢'));
  server.transport.uncork();
  server.transport.close(4001, 'replaced');
  const it = watch(client);
  await expect(it.closed).resolves.toEqual({ code: 4001, reason: 'replaced' });
  expect(it.frames).toEqual(['one', 'two 漢']);
});

test('a close code and reason from the client reach the server', async () => {
  const { client, server } = await linked(await listen());
  const it = watch(server.transport);
  client.close(4100, 'x'.repeat(300));
  client.close();
  client.send('dropped');
  await expect(it.closed).resolves.toEqual({ code: 4100, reason: 'x'.repeat(123) });
});

test('a frame over the limit from a client closes with 1009 on both sides', async () => {
  const { client, server } = await linked(await listen(1000));
  const [left, right] = [watch(client), watch(server.transport)];
  client.send('x'.repeat(1000));
  await right.frame(0);
  client.send('x'.repeat(1001));
  await expect(left.closed).resolves.toMatchObject({ code: 1009 });
  await expect(right.closed).resolves.toMatchObject({
    code: 1009,
    reason: expect.stringContaining('payload'),
  });
});

test('a frame over the limit of the wrapper closes with 1009 too', async () => {
  const harness = await listen();
  const connected = connectWebSocket(harness.url);
  const { socket } = await harness.next();
  const right = watch(wrapServerSocket(socket, { maxFrameBytes: 10 }));
  const client = await connected;
  const left = watch(client);
  client.send('漢漢漢漢');
  await expect(right.closed).resolves.toMatchObject({ code: 1009 });
  await expect(left.closed).resolves.toMatchObject({ code: 1009 });
});

test('a frame over the limit from a host closes with 1009', async () => {
  const { client, server } = await linked(await listen(), { maxFrameLength: 10 });
  const [left, right] = [watch(client), watch(server.transport)];
  server.transport.send('0123456789');
  server.transport.send('01234567890');
  await expect(left.closed).resolves.toMatchObject({ code: 1009 });
  // The platform's WebSocket may only send codes from 3000 on.
  await expect(right.closed).resolves.toMatchObject({ code: 3009 });
  expect(left.frames).toEqual(['0123456789']);
});

test('binary frames close with 1003 in both directions', async () => {
  const harness = await listen();
  const first = await linked(harness);
  const right = watch(first.server.transport);
  watch(first.client);
  first.server.socket.send(Buffer.from('bytes'));
  await expect(right.closed).resolves.toMatchObject({ code: 3003 });

  const socket = new WebSocket(harness.url);
  const { transport } = await harness.next();
  const it = watch(transport);
  const closed = once(socket, 'close');
  if (socket.readyState !== WebSocket.OPEN) await once(socket, 'open');
  socket.send(new Uint8Array([1]));
  await expect(it.closed).resolves.toMatchObject({ code: 1003 });
  await expect(closed).resolves.toMatchObject([{ code: 1003 }]);
});

test('an invalid frame from the other end closes the transport and is not thrown', async () => {
  const harness = await listen();
  const { port } = new URL(harness.url);
  const tcp = connectTcp(Number(port), '127.0.0.1');
  tcp.write(
    'GET /ahp HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  );
  const { transport } = await harness.next();
  const it = watch(transport);
  tcp.write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
  await expect(it.closed).resolves.toMatchObject({ code: 1002 });
  tcp.destroy();
});

test('a peer that does not read raises bufferedBytes and can be terminated', async () => {
  const { client, server } = await linked(await listen());
  const left = watch(client);
  const right = watch(server.transport);
  const big = Buffer.alloc(8 * 1024 * 1024, 0x61);
  for (let i = 0; i < 8; i++) server.transport.sendBytes(big);
  expect(server.transport.bufferedBytes).toBeGreaterThan(big.length);
  server.transport.terminate();
  await expect(right.closed).resolves.toEqual({ code: 1006, reason: 'terminated' });
  await expect(left.closed).resolves.toMatchObject({ code: 1006 });
});

test('onDrain is called when the buffered bytes were sent', async () => {
  const { client, server } = await linked(await listen());
  const left = watch(client);
  const drained = new Promise<void>((resolve) => {
    server.transport.onDrain(resolve);
  });
  for (let i = 0; i < 4; i++) server.transport.send('x'.repeat(4 * 1024 * 1024));
  expect(server.transport.bufferedBytes).toBeGreaterThan(0);
  await drained;
  await left.frame(3);
  expect(server.transport.bufferedBytes).toBe(0);
});

test('nothing is sent on a socket that the other side is closing', async () => {
  const sent: string[] = [];
  const socket = {
    bufferedAmount: 0,
    readyState: WebSocket.OPEN,
    send: (frame: string) => sent.push(frame),
    close: () => undefined,
  };
  const transport = await connectSocket('ws://host', {}, ({ onOpen }) => {
    queueMicrotask(onOpen);
    return socket;
  });
  transport.send('before');
  socket.readyState = WebSocket.CLOSING;
  transport.send('after');
  expect(sent).toEqual(['before']);
});

test('headers are sent if the platform allows them', async () => {
  const harness = await listen();
  const { server } = await linked(harness, { headers: { authorization: 'Bearer abc' } });
  expect(server.headers['authorization']).toBe('Bearer abc');
});

test('a refused upgrade and a closed port reject with a ConnectFailed that does not contain the token', async () => {
  const http = createServer();
  http.on('upgrade', (_request, socket) =>
    socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n'),
  );
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `ws://127.0.0.1:${address.port}/ahp?token=secret`;
  const failure = await connectWebSocket(url).catch((error: ConnectFailed) => error);
  expect(failure).toMatchObject({ name: 'ConnectFailed', code: 'connect-failed' });
  expect(JSON.stringify([failure, failure instanceof Error && failure.message])).not.toContain('secret');
  http.close();
  await once(http, 'close');
  await expect(connectWebSocket(url)).rejects.toMatchObject({ name: 'ConnectFailed', info: { code: 1006 } });
});

test('connecting can be aborted', async () => {
  const http = createServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const controller = new AbortController();
  const connecting = connectWebSocket(`ws://127.0.0.1:${address.port}/`, { signal: controller.signal });
  // The server never answers.
  const [, socket]: unknown[] = await once(http, 'upgrade');
  controller.abort(new Error('enough'));
  await expect(connecting).rejects.toThrow('enough');
  if (socket instanceof Socket) socket.destroy();
  http.close();
  await once(http, 'close');
});
