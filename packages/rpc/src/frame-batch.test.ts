import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { FrameBatch } from './frame-batch.ts';
import { connectWebSocket } from './websocket.ts';
import { WEBSOCKET_SERVER_OPTIONS, wrapServerSocket } from './websocket-server.ts';

let server: WebSocketServer;

beforeEach(async () => {
  server = new WebSocketServer({ ...WEBSOCKET_SERVER_OPTIONS, port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
});

afterEach(async () => {
  const closed = once(server, 'close');
  server.close();
  await closed;
});

/** The lengths need different kinds of header (RFC 6455, 5.2). The characters take one to four bytes. */
const frames = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000].map((length) => 'x'.repeat(length));
const texts = [...frames, 'é', '漢'.repeat(50), '🌍'.repeat(20_000)];

async function linked() {
  const [[socket], client] = await Promise.all([
    once(server, 'connection'),
    connectWebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`),
  ]);
  const received: string[] = [];
  const { promise: closed, resolve: onClose } = Promise.withResolvers<unknown>();
  client.start({ onFrame: (frame) => received.push(frame), onClose });
  const transport = wrapServerSocket(socket);
  transport.start({ onFrame: () => undefined, onClose: () => undefined });
  return { socket, transport, received, closed };
}

test('every socket receives the frames of a batch, in order with its other frames', async () => {
  const ends = [await linked(), await linked()];
  const batch = new FrameBatch(texts);
  for (const { transport } of ends) {
    transport.cork();
    transport.send('before');
    transport.sendBatch?.(batch);
    transport.send('behind');
    transport.uncork();
    transport.close();
  }
  for (const { received, closed } of ends) {
    await closed;
    expect(received).toEqual(['before', ...texts, 'behind']);
  }
});

test('the common prefix and suffix of a batch are part of each frame', async () => {
  const { transport, received, closed } = await linked();
  const batch = new FrameBatch(texts, { before: '<é', behind: '漢>' });
  transport.sendBatch?.(batch);
  transport.close();
  await closed;
  expect(received).toEqual(texts.map((text) => `<é${text}漢>`));
  expect(batch.frames).toEqual(received);
});

test('short frames arrive unchanged, also when one of many is not ASCII', async () => {
  const { transport, received, closed } = await linked();
  const many = Array.from({ length: 1_030 }, (_, length) => 'x'.repeat(length));
  const mixed = many.with(1_000, '\u007f').with(1_001, '\u0080').with(1_002, 'ÿ').with(1_003, '漢');
  const batches = [
    many,
    many.slice(0, 1_000),
    many.slice(0, 70),
    mixed.slice(990),
    mixed.slice(1_000, 1_005),
    ['\u0080'],
  ];
  for (const bodies of batches) transport.sendBatch?.(new FrameBatch(bodies, { before: '<', behind: '>' }));
  transport.close();
  await closed;
  expect(received).toEqual(batches.flat().map((text) => `<${text}>`));
});

test('a batch is encoded once for all its concurrent senders', () => {
  const batch = new FrameBatch(['a', 'b']);
  expect(batch.webSocketFrames()).toBe(batch.webSocketFrames());
});

test('released bytes are reused only after the last release, and a later batch has its own bytes', () => {
  const [first, second] = ['a', 'b'].map((letter) => new FrameBatch([letter.repeat(50_000)]));
  const held = first?.webSocketFrames();
  const bytes = held?.bytes;
  const expected = Buffer.from(bytes ?? []);
  expect(first?.webSocketFrames().bytes).toBe(bytes);
  held?.release();
  const other = second?.webSocketFrames();
  expect(other?.bytes.buffer).not.toBe(bytes?.buffer);
  other?.release();
  expect(Buffer.from(bytes ?? [])).toEqual(expected);
  held?.release();
  expect(second?.webSocketFrames().bytes.buffer).toBe(bytes?.buffer);
  expect(Buffer.from(first?.webSocketFrames().bytes ?? [])).toEqual(expected);
});

test('a batch reports its size in memory, at most about twice its bytes', () => {
  for (const length of [10, 17_000, 33_000, 70_000, 150_000, 300_000]) {
    let kept = 0;
    const held = new FrameBatch(['x'.repeat(length)], undefined, (bytes) => {
      kept += bytes;
    }).webSocketFrames();
    expect(kept).toBe(held.bytes.buffer.byteLength);
    expect(kept).toBeGreaterThanOrEqual(length);
    expect(kept).toBeLessThan(2.1 * length + 16);
    held.release();
    expect(kept).toBe(0);
  }
});

test('a batch for a closing socket is dropped', async () => {
  const { transport, received, closed } = await linked();
  transport.close();
  transport.sendBatch?.(new FrameBatch(['late']));
  await closed;
  expect(received).toEqual([]);
});

test('with negotiated compression, frames are sent one by one', async () => {
  server.options.perMessageDeflate = true;
  const { socket, transport, received, closed } = await linked();
  expect(socket.extensions).toContain('permessage-deflate');
  transport.sendBatch?.(new FrameBatch(texts));
  transport.close();
  await closed;
  expect(received).toEqual(texts);
});
