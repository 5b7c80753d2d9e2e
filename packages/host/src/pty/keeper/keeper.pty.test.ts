import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { SimulatedClock } from '@agenthost/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PtyError } from '../pty.ts';
import { isEnded, KeeperStage } from './contract-keeper.ts';
import { read, until, untilGone } from './contract-keepers.ts';
import { ensureKeeperFolder, isFindable, keeperFolder, logPath, socketPath } from './folder.ts';
import { controlFrame } from './frames.ts';
import { KeptPty } from './kept-pty.ts';
import { KEEPER_PROTOCOL } from './protocol.ts';

let stage: KeeperStage<SimulatedClock>;

beforeEach(() => {
  stage = new KeeperStage(new SimulatedClock());
});
afterEach(() => stage.end());

describe('a keeper without a host', () => {
  test('ends after 5 s when it holds no pty', async () => {
    const keeper = await stage.start();
    await stage.clock.advance(4_999);
    expect(await isEnded(keeper)).toBe(false);
    await stage.clock.advance(1);
    await keeper.ended;
    await expect(stage.reach()).rejects.toThrow('gone');
  });

  test('restarts its 5 s when a host leaves, and does not count while a host is connected', async () => {
    const keeper = await stage.start();
    await stage.clock.advance(4_000);
    const connection = await stage.reach();
    await stage.idsOn(connection);
    await stage.clock.advance(60 * 60 * 1_000);
    await stage.leave(connection);
    await stage.clock.advance(4_999);
    expect(await isEnded(keeper)).toBe(false);
    await stage.clock.advance(1);
    await keeper.ended;
  });

  test('keeps a pty that ended for 24 h, then ends', async () => {
    const keeper = await stage.start();
    const connection = await stage.reach();
    const pty = await stage.spawnOn(connection, 'exit 4');
    await untilGone(pty.pid);
    // The keeper may notice the end of the output after the end of the process.
    const heard = read(pty);
    expect(await heard.exitCode).toBe(4);
    await stage.leave(connection);
    // The check an hour later notices the end.
    await stage.clock.advance(24 * 60 * 60 * 1_000);
    expect(await isEnded(keeper)).toBe(false);
    const later = await stage.reach();
    expect(await stage.idsOn(later)).toEqual(['a']);
    await stage.leave(later);
    await stage.clock.advance(25 * 60 * 60 * 1_000);
    await stage.clock.advance(5_000);
    await keeper.ended;
  });

  test('goes on for as long as a pty runs', async () => {
    const keeper = await stage.start();
    const connection = await stage.reach();
    await stage.spawnOn(connection, 'exec sleep 1000');
    await stage.leave(connection);
    await stage.clock.advance(100 * 24 * 60 * 60 * 1_000);
    expect(await isEnded(keeper)).toBe(false);
    expect(await stage.idsOn(await stage.reach())).toEqual(['a']);
  });
});

describe('a keeper whose socket is missing', () => {
  test('ends its ptys and itself at the next check, within 30 s', async () => {
    let isReachable = true;
    const keeper = await stage.start({ isReachable: () => isReachable });
    const connection = await stage.reach();
    const { pid } = await stage.spawnOn(connection, 'exec sleep 1000');
    await stage.leave(connection);
    await stage.clock.advance(60 * 60 * 1_000);
    isReachable = false;
    await stage.clock.advance(29_999);
    expect(await isEnded(keeper)).toBe(false);
    await stage.clock.advance(1);
    await keeper.ended;
    await untilGone(pid);
  });

  test('continues while a host is connected, and ends within 30 s after that', async () => {
    const keeper = await stage.start({ isReachable: () => false });
    const connection = await stage.reach();
    await stage.spawnOn(connection, 'exec sleep 1000');
    await stage.clock.advance(60 * 60 * 1_000);
    expect(await stage.idsOn(connection)).toEqual(['a']);
    await stage.leave(connection);
    await stage.clock.advance(30_000);
    await keeper.ended;
  });

  test('is one whose socket or folder was removed, not one whose folder was moved or is unreadable', () => {
    const made = (folder: string): number => {
      ensureKeeperFolder(folder);
      writeFileSync(socketPath(folder, 'k'), '');
      return openSync(logPath(folder, 'k'), 'a');
    };
    const at = (name: string): string => keeperFolder(join(stage.keepers.dataDir, name));
    const logs = [made(at('whole')), made(at('socket')), made(at('folder')), made(at('moved'))];
    const found = (): boolean[] =>
      ['whole', 'socket', 'folder', 'moved'].map((name, index) =>
        isFindable(at(name), 'k', logs[index] ?? -1),
      );
    try {
      expect(found()).toEqual([true, true, true, true]);
      rmSync(socketPath(at('socket'), 'k'));
      rmSync(join(stage.keepers.dataDir, 'folder'), { recursive: true });
      renameSync(join(stage.keepers.dataDir, 'moved'), join(stage.keepers.dataDir, 'elsewhere'));
      expect(found()).toEqual([true, false, false, true]);
      rmSync(join(stage.keepers.dataDir, 'elsewhere'), { recursive: true });
      expect(found()).toEqual([true, false, false, false]);
    } finally {
      for (const log of logs) closeSync(log);
    }
    expect(isFindable(at('folder'), 'k', logs[2] ?? -1)).toBe(true);
  });
});

describe('a second host', () => {
  test('takes over: the first is disconnected, and the second reads the ptys from the offset that it requests', async () => {
    await stage.start();
    const first = await stage.reach();
    const pty = await stage.spawnOn(first, 'stty -echo; echo one; read x; echo $x; exec sleep 1000');
    const heard = read(pty);
    await heard.shows('one\r\n');
    const second = await stage.reach();
    expect(await heard.exitCode).toBe(129);
    const answer = await second.request({ type: 'list' });
    if (answer.type !== 'listed') throw new Error(answer.type);
    const [listed] = answer.ptys;
    if (listed === undefined) throw new Error('no pty');
    const again = new KeptPty(second, listed, () => {});
    const rest = read(again, 5);
    again.write('two\n');
    await rest.shows('two\r\n');
    expect(rest.output()).toBe('two\r\n');
  });

  test('comes after the input of the first, even if that was not read yet', async () => {
    await stage.start();
    const first = await stage.reach();
    const typed = join(stage.keepers.root, 'typed');
    const pty = await stage.spawnOn(
      first,
      `stty -echo; echo ready; read x; echo "$x" > ${typed}; exec sleep 1000`,
    );
    await read(pty).shows('ready');
    const second = connect(stage.address);
    // The keeper has accepted it, and reads it before later messages of the first host.
    await once(second, 'data');
    second.write(controlFrame({ type: 'hello', protocol: KEEPER_PROTOCOL, build: '1.0.0', pid: 0 }));
    pty.write('behind ');
    pty.write('the hello\n');
    await until('it was typed', () => existsSync(typed) && readFileSync(typed, 'utf8') !== '');
    expect(readFileSync(typed, 'utf8')).toBe('behind the hello\n');
    second.destroy();
  });
});

describe('a stranger', () => {
  const hello = controlFrame({ type: 'hello', protocol: 1, build: '1.0.0', pid: 0 });

  test.each<[string, Buffer]>([
    ['what is no frame', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['a length beyond every limit', Buffer.from([0xff, 0xff, 0xff, 0xff])],
    ['a request before hello', controlFrame({ type: 'list', request: 1 })],
    ['a hello of another protocol', controlFrame({ type: 'hello', protocol: 2, build: '1.0.0', pid: 0 })],
    ['a hello with a hole', controlFrame({ type: 'hello', protocol: 1 })],
    ['keys before hello', Buffer.from([0, 0, 0, 6, 3, 0, 0, 0, 1, 65])],
  ])('that sends %s is disconnected, and the host is not affected', async (_what, bytes) => {
    await stage.start();
    const connection = await stage.reach();
    const pty = await stage.spawnOn(connection, 'stty -echo; echo ready; cat');
    const heard = read(pty);
    await heard.shows('ready');
    await sendAndHangUp(bytes);
    pty.write('still here\n');
    await heard.shows('still here\r\n');
    expect(connection.isOpen).toBe(true);
  });

  test.each<[string, Buffer]>([
    ['what is no frame', Buffer.concat([hello, Buffer.from([0, 0, 0, 1, 77])])],
    ['a message with a hole', Buffer.concat([hello, controlFrame({ type: 'kill', request: 1 })])],
    [
      'what only keepers send',
      Buffer.concat([hello, Buffer.from([0, 0, 0, 13, 2, ...Array.from({ length: 12 }, () => 0)])]),
    ],
  ])('that sends hello and then %s is disconnected, and its ptys stay for the next', async (_what, bytes) => {
    await stage.start();
    const pty = await stage.spawnOn(await stage.reach(), 'exec sleep 1000');
    await sendAndHangUp(bytes);
    expect(await stage.idsOn(await stage.reach())).toEqual([pty.id]);
  });

  /** Resolves when the keeper has closed the connection. */
  async function sendAndHangUp(bytes: Buffer): Promise<void> {
    const socket: Socket = connect(stage.address);
    socket.on('error', () => socket.destroy());
    socket.resume();
    socket.write(bytes);
    await once(socket, 'close');
  }
});

describe('a request', () => {
  test('that exceeds a frame is refused by the host, and the connection stays', async () => {
    await stage.start();
    const connection = await stage.reach();
    await expect(stage.spawnOn(connection, 'x'.repeat(5_000_000))).rejects.toThrow(PtyError);
    expect(await stage.idsOn(connection)).toEqual([]);
  });
});

describe('unknown things', () => {
  test('unknown pty numbers, messages of later builds and ends of ended ptys do no harm', async () => {
    await stage.start();
    const connection = await stage.reach();
    connection.write(99, 'x');
    connection.acknowledge(99, 1);
    connection.attach(99, 0);
    connection.tell({ type: 'resize', pty: 99, cols: 1, rows: 1 });
    connection.tell({ type: 'signal', pty: 99, signal: 'SIGINT' });
    connection.tell({ type: 'release', pty: 99 });
    expect(await connection.request({ type: 'kill', pty: 99 })).toMatchObject({ type: 'killed' });
    const pty = await stage.spawnOn(connection, 'exit 0');
    expect(await read(pty).exitCode).toBe(0);
    pty.write('x');
    pty.signal('SIGINT');
    await pty.kill();
    pty.release();
    pty.release();
    expect(await stage.idsOn(connection)).toEqual([]);
  });
});
