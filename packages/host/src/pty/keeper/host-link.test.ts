import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { controlFrame, inputFrames } from './frames.ts';
import { HostLink } from './host-link.ts';
import { KEEPER_PROTOCOL } from './protocol.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'host-link-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const keysFrame = (data: string): Buffer => Buffer.concat([...inputFrames(1, data)]);

/** Both ends of a connection, and the messages that the keeper received. */
async function connected() {
  const server = createServer();
  server.listen(join(folder, 'socket'));
  const accepted = once(server, 'connection');
  const host = connect(join(folder, 'socket'));
  const [socket]: Socket[] = await accepted;
  server.close();
  if (socket === undefined) throw new Error('nobody came');
  const keys: string[] = [];
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const greeted = Promise.withResolvers<void>();
  const link = new HostLink(socket, '1.0.0', {
    greeted: greeted.resolve,
    message: () => undefined,
    input: (_, bytes) => keys.push(Buffer.from(bytes).toString()),
    acknowledge: () => undefined,
    closed: resolve,
  });
  host.write(controlFrame({ type: 'hello', protocol: KEEPER_PROTOCOL, build: '1.0.0', pid: 1 }));
  await greeted.promise;
  return { host, link, keys, closed };
}

describe('a host that is killed', () => {
  test('has its complete input delivered, even when the keeper writes first', async () => {
    const { host, link, keys, closed } = await connected();
    host.write(keysFrame('first\r'));
    host.write(keysFrame('second é🙂\r'));
    host.destroy();
    // The connection closes before this is read, so the write fails at once.
    link.send({ type: 'killed', request: 1 });
    await closed;
    expect(keys).toEqual(['first\r', 'second é🙂\r']);
  });

  test('has no incomplete input delivered', async () => {
    const { host, link, keys, closed } = await connected();
    host.write(Buffer.concat([keysFrame('whole\r'), keysFrame('torn\r').subarray(0, 9)]));
    host.destroy();
    link.send({ type: 'killed', request: 1 });
    await closed;
    expect(keys).toEqual(['whole\r']);
  });
});
