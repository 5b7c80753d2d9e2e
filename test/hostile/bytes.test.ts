import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '@agenthost/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from '../kill/host-process.ts';
import { frame, RawSocket, upgradeRequest } from './raw-socket.ts';
import { RudeClient } from './rude-client.ts';

const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;

/** Time limit for the head of a request, with room for a busy machine. */
const HEAD_LIMIT_MS = 25_000;

let folder = '';
let host: HostProcess;
let polite: RudeClient;
let residentBefore = 0;
const sockets: RawSocket[] = [];

async function residentMiB(): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const status = await readFile(`/proc/${host.address.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-bytes-'));
  host = new HostProcess(join(folder, 'data'), folder);
  await host.start();
  polite = await RudeClient.connect(host.address);
  await polite.initialize('polite');
  residentBefore = await residentMiB();
}, 60_000);

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.close();
  expect(host.isRunning, host.errors).toBe(true);
  expect(await polite.pingMs()).toBeLessThan(5_000);
  expect((await residentMiB()) - residentBefore).toBeLessThan(150);
});

afterAll(async () => {
  await polite.close();
  await host.stop();
  await rm(folder, { recursive: true });
});

const kept = (socket: RawSocket): RawSocket => {
  sockets.push(socket);
  return socket;
};
const open = async (): Promise<RawSocket> => kept(await RawSocket.open(host.address));
const upgraded = async (): Promise<RawSocket> => kept(await RawSocket.upgraded(host.address));

describe('bytes that are not a request', () => {
  test('three hundred sockets of random bytes are refused', async () => {
    const random = new SeededRandom('bytes');
    for (let round = 0; round < 300; round += 1) {
      const socket = await open();
      const bytes = Uint8Array.from({ length: random.between(1, 400) }, () => random.int(256));
      socket.write(random.chance(0.3) ? Buffer.concat([Buffer.from('GET /ahp HTTP/1.1\r\n'), bytes]) : bytes);
      socket.write('\r\n\r\n\r\n\r\n');
      await socket.ended;
      expect(
        socket.text === '' || /^HTTP\/1\.1 [45]/.test(socket.text),
        `round ${round}: ${socket.text}`,
      ).toBe(true);
    }
  }, 60_000);

  test.each([
    [
      'a head of 100 kB',
      () => upgradeRequest(host.address, { 'X-Long': 'y'.repeat(100_000) }),
      /^HTTP\/1\.1 431/,
    ],
    [
      'another version',
      () => upgradeRequest(host.address, { 'Sec-WebSocket-Version': '99' }),
      /^HTTP\/1\.1 4/,
    ],
    ['no key', () => upgradeRequest(host.address, { 'Sec-WebSocket-Key': undefined }), /^HTTP\/1\.1 400/],
    [
      'a key that is none',
      () => upgradeRequest(host.address, { 'Sec-WebSocket-Key': 'x' }),
      /^HTTP\/1\.1 400/,
    ],
    ['an upgrade to something else', () => upgradeRequest(host.address, { Upgrade: 'h2c' }), /^HTTP\/1\.1 4/],
    [
      'a broken extension',
      () => upgradeRequest(host.address, { 'Sec-WebSocket-Extensions': ';;=' }),
      /^HTTP\/1\.1 (?:101|400)/,
    ],
    [
      'broken subprotocols',
      () => upgradeRequest(host.address, { 'Sec-WebSocket-Protocol': ',,a,a' }),
      /^HTTP\/1\.1 400/,
    ],
    [
      'two hosts',
      () => upgradeRequest(host.address).replace('\r\n', '\r\nHost: evil.test\r\n'),
      /^HTTP\/1\.1 4/,
    ],
    ['no host', () => upgradeRequest(host.address, { Host: undefined }), /^HTTP\/1\.1 4/],
    ['a URL that is none', () => upgradeRequest(host.address).replace('/ahp', '//[::'), /^HTTP\/1\.1 4/],
    [
      'a length that contradicts',
      () => 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      /^HTTP\/1\.1 4/,
    ],
  ])('%s is refused', async (_, request, answer) => {
    const socket = await open();
    socket.write(request());
    await socket.until((bytes) => bytes.includes('\r\n\r\n'));
    expect(socket.text).toMatch(answer);
    expect(socket.text).not.toMatch(/node:internal|\n\s+at |node_modules/);
  });

  test.each(['', '\r\n', '\r\n'.repeat(10_000)])(
    'of requests in one write the first is answered, and ends the connection',
    async (before) => {
      const socket = await open();
      const { host: name } = new URL(host.address.wsUrl);
      socket.write(before + `GET /healthz HTTP/1.1\r\nHost: ${name}\r\n\r\n`.repeat(200));
      await socket.ended;
      expect(socket.text.split('HTTP/1.1 200')).toHaveLength(2);
      expect(socket.text).toContain('connection: close');
    },
  );

  test('two hundred clients that send the head of a request byte by byte, or nothing, are dropped in seconds', async () => {
    const start = performance.now();
    const slow = await Promise.all(Array.from({ length: 200 }, open));
    const request = upgradeRequest(host.address);
    let at = 0;
    const drip = setInterval(() => {
      for (const socket of slow.slice(0, 100)) socket.write(request.charAt(at));
      at = Math.min(at + 1, request.length - 5);
    }, 500);
    await Promise.all(slow.map(({ ended }) => ended));
    clearInterval(drip);
    expect(performance.now() - start).toBeLessThan(HEAD_LIMIT_MS);
  }, 60_000);
});

describe('frames that WebSocket forbids', () => {
  const invalidUtf8 = Uint8Array.of(0xc0, 0xaf);
  const closeWith = (code: number): Buffer => Buffer.from([code >> 8, code & 255]);
  test.each<readonly [string, number, Buffer]>([
    ['unmasked', 1002, frame(TEXT, '{}', { isMasked: false })],
    ['with a reserved bit', 1002, frame(TEXT, '{}', { reserved: 0x40 })],
    ['with another reserved bit', 1002, frame(TEXT, '{}', { reserved: 0x10 })],
    ['of a reserved kind', 1002, frame(3, '{}')],
    ['of a reserved control kind', 1002, frame(11, '')],
    ['a control frame that is too long', 1002, frame(PING, 'x'.repeat(200))],
    ['a control frame in fragments', 1002, frame(PING, 'x', { fin: false })],
    ['a continuation of nothing', 1002, frame(0, 'x')],
    [
      'a new message inside another',
      1002,
      Buffer.concat([frame(TEXT, '{', { fin: false }), frame(TEXT, '}')]),
    ],
    ['2^63 bytes long', 1009, frame(TEXT, '', { length: 2n ** 63n })],
    ['2^40 bytes long', 1009, frame(TEXT, '', { length: 2n ** 40n })],
    ['17 MiB announced', 1009, frame(TEXT, '', { length: 17n * 1024n * 1024n })],
    ['text that is no UTF-8', 1007, frame(TEXT, invalidUtf8)],
    ['binary', 1003, frame(BINARY, '{}')],
    ['closing with a code that nobody may send', 1002, frame(CLOSE, closeWith(1005))],
    ['closing with half a code', 1002, frame(CLOSE, 'x')],
    [
      'closing with a reason that is no UTF-8',
      1007,
      frame(CLOSE, Buffer.concat([closeWith(1000), invalidUtf8])),
    ],
  ])('%s closes its connection with %i', async (_, code, bytes) => {
    const socket = await upgraded();
    socket.write(bytes);
    expect(await socket.closeCode()).toBe(code);
  });

  test('fragments without end are cut off at the size of a message', async () => {
    const socket = await upgraded();
    socket.write(frame(TEXT, '"', { fin: false }));
    const more = frame(0, 'x'.repeat(1024 * 1024), { fin: false });
    for (let sent = 0; sent < 20; sent += 1) socket.write(more);
    expect(await socket.closeCode()).toBe(1009);
  });

  test('a million empty fragments take no memory, or the connection', async () => {
    const socket = await upgraded();
    socket.write(frame(TEXT, '', { fin: false }));
    const many = Buffer.concat(Array.from({ length: 50_000 }, () => frame(0, '', { fin: false })));
    for (let sent = 0; sent < 20; sent += 1) socket.write(many);
    socket.write(frame(0, '{', { fin: true }));
    await socket.until((bytes) => bytes.length > 0);
    expect(socket.text.includes('-32700') || (await socket.closeCode()) > 1000).toBe(true);
  });

  test('a hundred thousand pings are answered, or the connection is closed', async () => {
    const socket = await upgraded();
    const many = Buffer.concat(Array.from({ length: 10_000 }, () => frame(PING, 'x'.repeat(100))));
    for (let sent = 0; sent < 10; sent += 1) socket.write(many);
    socket.write(frame(TEXT, '{'));
    const isAnswered = (): boolean => socket.text.includes('-32700');
    await socket.until(isAnswered);
    expect(isAnswered() || socket.isEnded).toBe(true);
  });

  test('pings of a client that reads no pongs take bounded memory', async () => {
    const socket = await upgraded();
    socket.pause();
    const many = Buffer.concat(Array.from({ length: 10_000 }, () => frame(PING, 'x'.repeat(100))));
    // 200 MB of pongs, all of which wait in the host.
    for (let sent = 0; sent < 200 && !socket.isEnded; sent += 1) await socket.written(many);
    expect((await residentMiB()) - residentBefore).toBeLessThan(150);
  }, 60_000);
});
