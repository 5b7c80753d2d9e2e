import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loopbackServer } from '../../../test/loopback-server.ts';
import type { HostServer } from './server.ts';

const TOKEN = 'a-token-of-some-length-0123456789';

let folder: string;
let server: HostServer;
let port: number;
let socket: Socket;
let received = '';
let frames: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-kept-'));
  writeFileSync(join(folder, 'index.html'), 'the page');
  writeFileSync(join(folder, 'one.js'), 'one');
  writeFileSync(join(folder, 'long.js'), 'x'.repeat(3_000_000));
  frames = [];
  server = loopbackServer(TOKEN, {
    page: { folder, pageHosts: () => [] },
    accept: (transport) =>
      transport.start({ onFrame: (frame) => frames.push(frame), onClose: () => undefined }),
  });
  port = await server.start();
  received = '';
  socket = connect(port, '127.0.0.1');
  socket.on('data', (chunk) => {
    received += String(chunk);
  });
  await once(socket, 'connect');
});

afterEach(async () => {
  socket.destroy();
  await server.stop();
  rmSync(folder, { recursive: true });
});

const head = (path: string, ...more: string[]): string =>
  [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...more, '', ''].join('\r\n');
const answerCount = (): number => received.match(/HTTP\/1\.1 \d/g)?.length ?? 0;

it('a connection serves several requests for files, one after the other', async () => {
  for (const [index, path] of ['/', '/one.js', '/one.js', '/long.js', '/one.js'].entries()) {
    socket.write(head(path));
    await expect.poll(answerCount).toBe(index + 1);
  }
  await expect.poll(() => received.endsWith('one')).toBe(true);
  expect(received).not.toMatch(/^connection: close/im);
});

it('a connection answers pipelined requests in order, and a head in pieces', async () => {
  socket.write(head('/one.js') + head('/') + head('/one.js').slice(0, 10));
  await expect.poll(() => received.endsWith('the page')).toBe(true);
  socket.write(head('/one.js').slice(10));
  await expect.poll(() => received.endsWith('one')).toBe(true);
  expect(answerCount()).toBe(3);
});

it('a connection is closed after 32 requests, and the others are not read', async () => {
  socket.write(head('/one.js').repeat(40));
  await once(socket, 'close');
  expect(answerCount()).toBe(32);
  expect(received).toMatch(/connection: close/i);
});

it.each([
  ['/healthz', []],
  ['/missing.js', []],
  ['/sign-in/state', []],
  ['/one.js', ['Connection: close']],
])('a connection is closed after %s %j', async (path, more) => {
  socket.write(head('/one.js') + head(path, ...more) + head('/one.js'));
  await once(socket, 'close');
  expect(answerCount()).toBe(2);
});

it('a connection whose other end closes is closed', async () => {
  socket.write(head('/one.js'));
  await expect.poll(answerCount).toBe(1);
  socket.end();
  await once(socket, 'close');
});

it('a kept connection can become a WebSocket', async () => {
  socket.write(head('/one.js'));
  await expect.poll(answerCount).toBe(1);
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const upgrade = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13', key];
  // A masked text frame with `{}` behind the head.
  socket.write(head(`/ahp?token=${TOKEN}`, ...upgrade));
  socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d]));
  await expect.poll(() => received).toContain('HTTP/1.1 101 ');
  await expect.poll(() => frames).toEqual(['{}']);
});
