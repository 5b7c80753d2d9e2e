import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { LoopbackPort } from './loopback-port.ts';

test('a loopback port forwards all bytes of both directions, also after one has ended, and none without a target', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loopback-'));
  const far = createServer({ allowHalfOpen: true }, (socket) => {
    void text(socket).then((received) => socket.end(`${received} and back${'.'.repeat(2_000_000)}`));
  });
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port: number } = Object(free.address());
  await new Promise((resolve) => free.close(resolve));
  const port = await LoopbackPort.open(number);
  if (port === undefined) throw new Error('the port is in use on both loopback addresses');
  onTestFinished(() => {
    port.dispose();
    far.close();
    rmSync(folder, { recursive: true });
  });
  const get = (): Promise<string> => {
    const host = port.host.replace(/^\[(.*)\]$/, '$1');
    const socket = connect({ host, port: number, allowHalfOpen: true });
    return text(socket.end('there'));
  };
  expect(await get().catch(() => '')).toBe('');
  await new Promise<void>((resolve) => {
    far.listen(join(folder, 'socket'), resolve);
  });
  port.forwardTo(join(folder, 'socket'));
  expect((await get()).replace(/\.+$/, (dots) => String(dots.length))).toBe('there and back2000000');
});
