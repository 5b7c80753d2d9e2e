// Clients on bare sockets that send messages outside the library's reach, in one process, so that the host has the other core.
import { connect, type Socket } from 'node:net';
import { serve } from '../../bench/process.ts';

/** Data that each connection sends, without end unless stated otherwise. */
export type Noise =
  /** `ping` requests. */
  | { kind: 'requests' }
  /** Control frames. */
  | { kind: 'pings' }
  /** The first `bytes` bytes of one message that stays incomplete. */
  | { kind: 'unfinished'; bytes: number }
  /** The same in small pieces. */
  | { kind: 'pieces'; bytes: number }
  /** Plain HTTP requests, without a token, many in each write. */
  | { kind: 'plain' }
  /** Whole messages of `bytes` bytes that repeat `of`. */
  | { kind: 'messages'; bytes: number; of: string };

export type LoudRequest = { url: string; count: number; noise: Noise; comesBack?: boolean };

const CHUNK_BYTES = 64 * 1024;

/** A masked frame with a mask of zeros. `length` is the length in its header. */
export function frameOf(body: Buffer, opcode = 0x81, length = body.length): Buffer {
  if (length < 126) return Buffer.concat([Buffer.from([opcode, 0x80 | length, 0, 0, 0, 0]), body]);
  const isShort = length <= 0xffff;
  const head = Buffer.alloc(isShort ? 8 : 14);
  head[0] = opcode;
  head[1] = 0x80 | (isShort ? 126 : 127);
  if (isShort) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, body]);
}

const repeated = (frame: Buffer): Buffer =>
  Buffer.concat(Array.from({ length: Math.ceil(CHUNK_BYTES / frame.length) }, () => frame));

/** Writes as fast as the host reads. */
function writeForEver(socket: Socket, chunk: Buffer): void {
  const go = (): void => {
    if (!socket.destroyed && socket.write(chunk)) setImmediate(go);
  };
  socket.on('drain', go);
  go();
}

function makeNoise(socket: Socket, noise: Noise, host: string): void {
  switch (noise.kind) {
    case 'requests': {
      const request = { jsonrpc: '2.0', id: 1, method: 'ping', params: { channel: 'ahp-root://' } };
      return writeForEver(socket, repeated(frameOf(Buffer.from(JSON.stringify(request)))));
    }
    case 'plain':
      return writeForEver(socket, repeated(Buffer.from(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`)));
    case 'pings':
      return writeForEver(socket, repeated(frameOf(Buffer.alloc(0), 0x89)));
    case 'unfinished':
      socket.write(frameOf(Buffer.alloc(noise.bytes, 'x'), 0x81, noise.bytes + 1));
      return;
    case 'pieces': {
      socket.setNoDelay(true);
      socket.write(frameOf(Buffer.alloc(0), 0x81, noise.bytes + 1));
      let sent = 0;
      const timer = setInterval(() => {
        if (sent >= noise.bytes || socket.destroyed) clearInterval(timer);
        else sent += Number(socket.write('x')) || 1;
      }, 1);
      return;
    }
    case 'messages': {
      const begin = '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"channel":"ahp-root://","x":[';
      const body = `${begin}${noise.of.repeat(Math.floor((noise.bytes - 100) / noise.of.length))}0]}}`;
      return writeForEver(socket, frameOf(Buffer.from(body)));
    }
    default:
      noise satisfies never;
  }
}

const sockets = new Set<Socket>();
let closedCount = 0;

function open(request: LoudRequest): Promise<void> {
  const { hostname, port, pathname, search } = new URL(request.url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      closedCount += 1;
      resolve();
      if (request.comesBack === true) setTimeout(() => void open(request), 100);
    });
    const begin = (): void => {
      resolve();
      makeNoise(socket, request.noise, `${hostname}:${port}`);
    };
    if (request.noise.kind === 'plain') {
      socket.once('connect', begin);
      return;
    }
    socket.once('data', begin);
    socket.write(
      [
        `GET ${pathname}${search} HTTP/1.1`,
        `Host: ${hostname}:${port}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      ].join('\r\n'),
    );
  });
}

serve<LoudRequest | { kind: 'state' }>(
  async (request) => {
    if ('kind' in request) return { openCount: sockets.size, closedCount };
    for (let count = 0; count < request.count; count += 50)
      await Promise.all(Array.from({ length: Math.min(50, request.count - count) }, () => open(request)));
    return {};
  },
  () => {
    for (const socket of sockets) socket.destroy();
  },
);
