import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { WEBSOCKET_SERVER_OPTIONS, wrapServerSocket } from '@agenthost/rpc/websocket-server';
import { afterEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { MAX_UNHANDLED_BYTES, MAX_UNHANDLED_BYTES_IN_ALL, UnhandledBytes } from './unhandled-bytes.ts';

type Identity = Parameters<UnhandledBytes['watch']>[0];

const MEBIBYTE = 1024 * 1024;

const cleanups: (() => unknown)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

interface Client {
  /** Sends the first bytes of a message of `length` bytes, and waits until they have arrived. */
  begin(length: number, bytes: number): Promise<void>;
  send(bytes: number): Promise<void>;
  readonly closed: { code: number; reason: string } | undefined;
  readonly messageCount: number;
}

/** A server that counts the unhandled bytes of its clients. */
async function serve(): Promise<(identity: Identity) => Promise<Client>> {
  const unhandled = new UnhandledBytes();
  const http = createServer();
  const server = new WebSocketServer({ ...WEBSOCKET_SERVER_OPTIONS, noServer: true });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  cleanups.push(() => http.close());
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return async (identity) => {
    const client = connect(address.port, '127.0.0.1');
    client.on('error', () => client.destroy());
    client.resume();
    cleanups.push(() => client.destroy());
    let arrived = 0;
    const state: { closed: Client['closed']; messageCount: number } = { closed: undefined, messageCount: 0 };
    const upgraded = new Promise<void>((resolve) => {
      http.once('upgrade', (request, socket, head) =>
        server.handleUpgrade(request, socket, head, (accepted) => {
          const transport = wrapServerSocket(accepted);
          unhandled.watch(identity, { stream: socket, socket: accepted, transport });
          transport.start({
            onFrame: () => {
              state.messageCount += 1;
            },
            onClose: (info) => {
              state.closed = info;
            },
          });
          socket.on('data', ({ length }: Buffer) => {
            arrived += length;
          });
          resolve();
        }),
      );
    });
    client.write(
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    await upgraded;
    const write = async (bytes: Buffer): Promise<void> => {
      const all = arrived + bytes.length;
      client.write(bytes);
      await expect.poll(() => arrived >= all || state.closed !== undefined, { interval: 5 }).toBe(true);
    };
    return {
      begin: async (length, bytes) => {
        const head = Buffer.alloc(14);
        head.writeUInt16BE(0x81ff);
        head.writeBigUInt64BE(BigInt(length), 2);
        await write(Buffer.concat([head, Buffer.alloc(bytes, 'x')]));
      },
      send: (bytes) => write(Buffer.alloc(bytes, 'x')),
      get closed() {
        return state.closed;
      },
      get messageCount() {
        return state.messageCount;
      },
    };
  };
}

const of = (tokenHash: string, scope: Identity['scope']): Identity => ({ tokenHash, scope });

test('of a token with too many bytes of incomplete messages the connection with the most is closed', async () => {
  const join = await serve();
  const [most, less] = [await join(of('one', 'interact')), await join(of('one', 'interact'))];
  const half = MAX_UNHANDLED_BYTES.interact / 2;
  await most.begin(16 * MEBIBYTE, half - MEBIBYTE / 2);
  await less.begin(16 * MEBIBYTE, half - MEBIBYTE);
  expect([most.closed, less.closed]).toEqual([undefined, undefined]);
  const another = await join(of('one', 'interact'));
  await another.begin(16 * MEBIBYTE, 2 * MEBIBYTE);
  expect(most.closed).toMatchObject({ code: 1008, reason: expect.stringContaining('send it again later') });
  expect([less.closed, another.closed]).toEqual([undefined, undefined]);
});

test('all tokens but those of scope admin share a limit; above it the one with the most bytes loses a connection', async () => {
  const join = await serve();
  const clients = [];
  for (const [token, mebibytes] of [
    ['one', 15],
    ['one', 14],
    ['two', 13],
  ] as const) {
    const client = await join(of(token, 'interact'));
    await client.begin(16 * MEBIBYTE, mebibytes * MEBIBYTE);
    clients.push(client);
  }
  const admin = await join(of('admin', 'admin'));
  await admin.begin(16 * MEBIBYTE, 15 * MEBIBYTE);
  expect(MAX_UNHANDLED_BYTES_IN_ALL).toBe(48 * MEBIBYTE);
  expect(clients.map(({ closed }) => closed)).toEqual([undefined, undefined, undefined]);
  await (await join(of('three', 'interact'))).begin(16 * MEBIBYTE, 7 * MEBIBYTE);
  expect(clients.map(({ closed }) => closed?.code)).toEqual([1008, undefined, undefined]);
  expect(admin.closed).toBeUndefined();
});

test('handled bytes no longer count, however much a client sends', async () => {
  const join = await serve();
  const client = await join(of('one', 'observe'));
  for (let count = 0; count < 30; count += 1) {
    await client.begin(MEBIBYTE, 1_000);
    await client.send(MEBIBYTE - 1_000);
  }
  expect(client.messageCount).toBe(30);
  expect(client.closed).toBeUndefined();
  await client.begin(16 * MEBIBYTE, MAX_UNHANDLED_BYTES.observe - MEBIBYTE);
  expect(client.closed).toBeUndefined();
});
