import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PtyError } from '../pty.ts';
import { read, shell, TestKeepers, until, untilGone } from './contract-keepers.ts';
import { keeperFolder, logPath, socketPath } from './folder.ts';
import { controlFrame, FrameReader } from './frames.ts';
import { type HostMessage, KEEPER_PROTOCOL, parseHostMessage } from './protocol.ts';
import { startKeeper } from './start.ts';

let keepers: TestKeepers;

beforeEach(() => {
  keepers = new TestKeepers();
});
afterEach(() => keepers.end());

const folder = () => keeperFolder(keepers.dataDir);

/** A server in place of a keeper. */
async function listen(name: string, greet: (socket: Socket) => void = () => {}): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.resume();
    greet(socket);
  });
  server.listen(socketPath(folder(), name));
  await once(server, 'listening');
  return server;
}

describe('a host that was killed', () => {
  /** A host in a process of its own. It writes output to a file before it acknowledges it, and is killed meanwhile. */
  const killedHost = `
    import { appendFileSync } from 'node:fs';
    const [module, dataDir, file, killAt, command] = process.argv.slice(1);
    const { KeeperPtyOwner } = await import(module);
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const owner = new KeeperPtyOwner({ dataDir, build: '1.0.0', log });
    await owner.adopt();
    const env = { PATH: process.env.PATH, TERM: 'xterm-256color' };
    const pty = await owner.spawn({ id: 'build', command: ['/bin/sh', '-c', command], cwd: '/', env, cols: 80, rows: 24 });
    let received = 0;
    pty.read(0, {
      data(bytes, offset) {
        appendFileSync(file, bytes);
        pty.acknowledge(offset + bytes.length);
        received += bytes.length;
        if (received >= Number(killAt)) process.kill(process.pid, 'SIGKILL');
      },
      exit() {},
    });
  `;

  async function runKilledHost(killAt: number, command: string): Promise<string> {
    const file = join(keepers.root, 'journal');
    const module = new URL('keeper-client.ts', import.meta.url).href;
    const args = ['-C', '@agenthost/source', '--input-type=module', '-e', killedHost];
    const host = spawn(process.execPath, [...args, module, keepers.dataDir, file, String(killAt), command], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const [, signal] = await once(host, 'exit');
    expect(signal).toBe('SIGKILL');
    return readFileSync(file, 'utf8');
  }

  test.each([1, 500_000, 1_900_000])(
    'after %i bytes: its successor reads on, nothing missing or doubled, with the right exit code',
    async (killAt) => {
      const journaled = await runKilledHost(killAt, 'seq 1 300000; exit 7');
      const {
        ptys: [pty, ...others],
      } = await keepers.owner().adopt();
      expect(others).toEqual([]);
      if (pty === undefined) throw new Error('the pty was not found');
      expect(pty.id).toBe('build');
      const heard = read(keepers.watch(pty), Buffer.byteLength(journaled));
      expect(await heard.exitCode).toBe(7);
      const lines = Array.from({ length: 300_000 }, (_, index) => `${index + 1}\r\n`).join('');
      expect(journaled + heard.output() === lines).toBe(true);
      pty.release();
    },
  );

  test('leaves ptys that end without a host: the next host gets their remaining output and exit code', async () => {
    const gate = join(keepers.root, 'gate');
    const first = keepers.owner();
    const script = `echo before; while [ ! -e ${gate} ]; do sleep 0.02; done; echo after; exit 3`;
    const before = keepers.watch(await first.spawn(shell('job', script)));
    const heard = read(before);
    await heard.shows('before\r\n');
    await first.close();
    mkdirSync(gate);
    await untilGone(before.pid);
    const {
      ptys: [pty],
    } = await keepers.owner().adopt();
    if (pty === undefined) throw new Error('the pty was not found');
    const rest = read(pty, heard.output().length);
    expect(await rest.exitCode).toBe(3);
    expect(rest.output()).toBe('after\r\n');
    pty.release();
  });

  test('does not block programs: the newest output is kept, from a line start on', async () => {
    const first = keepers.owner();
    const pty = keepers.watch(await first.spawn(shell('flood', 'echo go; seq 1 3000000')));
    await read(pty, 0, { acknowledges: false }).shows('go');
    await first.close();
    await untilGone(pty.pid);
    const {
      ptys: [again],
    } = await keepers.owner().adopt();
    if (again === undefined) throw new Error('the pty was not found');
    const heard = read(again, 0);
    expect(await heard.exitCode).toBe(0);
    const lines = heard.output().split('\r\n');
    const firstLine = Number(lines[0]);
    expect(firstLine).toBeGreaterThan(1);
    expect(lines).toEqual([
      ...Array.from({ length: 3_000_000 - firstLine + 1 }, (_, n) => String(firstLine + n)),
      '',
    ]);
    expect(heard.output().length).toBeGreaterThan(15 * 1024 * 1024);
    again.release();
  });
});

describe('the socket', () => {
  test('is accessible to its owner only, in a folder of the same kind', async () => {
    mkdirSync(folder(), { mode: 0o755 });
    chmodSync(folder(), 0o755);
    const owner = keepers.owner();
    keepers.watch(await owner.spawn(shell('a', 'cat')));
    const [name] = readdirSync(folder()).filter((entry) => entry.endsWith('.sock'));
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(modeOf(folder())).toBe('700');
    expect(modeOf(join(folder(), name ?? ''))).toBe('600');
    expect(modeOf(join(folder(), (name ?? '').replace('.sock', '.log')))).toBe('600');
  });

  test('is not reached through a link', async () => {
    mkdirSync(join(keepers.root, 'elsewhere'));
    symlinkSync(join(keepers.root, 'elsewhere'), folder());
    await expect(keepers.owner().adopt()).rejects.toThrow(PtyError);
    await expect(keepers.owner().spawn(shell('a', 'cat'))).rejects.toThrow('is not a folder');
  });

  test('may have a longer path than a socket address allows', async () => {
    await keepers.end();
    keepers = new TestKeepers(`${'deep/'.repeat(30)}data`);
    expect(socketPath(folder(), 'x').length).toBeGreaterThan(150);
    const first = keepers.owner();
    const pty = keepers.watch(await first.spawn(shell('deep', 'cat')));
    await first.close();
    const {
      ptys: [again],
    } = await keepers.owner().adopt();
    expect(again?.pid).toBe(pty.pid);
  });

  test('without a listener is removed', async () => {
    mkdirSync(folder(), { mode: 0o700 });
    const server = await listen('old');
    renameSync(socketPath(folder(), 'old'), socketPath(folder(), 'stale'));
    server.close();
    expect(readdirSync(folder())).toEqual(['stale.sock']);
    expect(await keepers.owner().adopt()).toEqual({ ptys: [], late: [] });
    expect(readdirSync(folder())).toEqual([]);
  });

  test.each<[string, (socket: Socket) => void, string]>([
    [
      'speaks another protocol',
      (socket) =>
        socket.write(controlFrame({ type: 'hello', protocol: KEEPER_PROTOCOL + 1, build: '9.0.0', pid: 0 })),
      'another protocol',
    ],
    ['says nothing', () => {}, 'does not answer'],
    [
      'says what is no frame',
      (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
      'not as a keeper does',
    ],
    ['hangs up', (socket) => socket.destroy(), 'not as a keeper does'],
  ])('of a process that %s is left alone, and that is logged', async (_what, greet, words) => {
    mkdirSync(folder(), { mode: 0o700 });
    const open = new Set<Socket>();
    const server = await listen('other', (socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      greet(socket);
    });
    const owner = keepers.owner({ aliveTimeoutMs: 300 });
    expect((await owner.adopt()).ptys).toEqual([]);
    await owner.close();
    const warnings = keepers.log.lines.filter(({ level }) => level !== 'info');
    expect(warnings.map(({ level, message }) => ({ level, message }))).toEqual([
      { level: 'warn', message: expect.stringContaining(words) },
    ]);
    expect(readdirSync(folder())).toEqual(['other.sock']);
    await until('the connection is closed', () => open.size === 0);
    server.close();
  });
});

describe('a keeper', () => {
  test('inherits nothing of its host: neither environment, folder, session nor terminal', async () => {
    process.env.AGENTHOST_TOKEN = 'secret';
    try {
      keepers.watch(await keepers.owner().spawn(shell('a', 'cat')));
    } finally {
      delete process.env.AGENTHOST_TOKEN;
    }
    if (process.platform !== 'linux') return;
    const { keeperPid } = keepers;
    expect(readFileSync(`/proc/${keeperPid}/environ`, 'utf8')).not.toMatch(/AGENTHOST|secret|VITEST/);
    const stat = readFileSync(`/proc/${keeperPid}/stat`, 'utf8');
    const [, , group, session, terminal] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    expect({ group, session, terminal }).toEqual({
      group: String(keeperPid),
      session: String(keeperPid),
      terminal: '0',
    });
  });

  test('is started once for simultaneous spawns', async () => {
    const owner = keepers.owner();
    const ptys = await Promise.all(['a', 'b', 'c'].map((id) => owner.spawn(shell(id, 'cat'))));
    for (const pty of ptys) keepers.watch(pty);
    expect(keepers.keeperPids).toHaveLength(1);
  });

  test('that cannot start is reported with the end of its log, and leaves nothing', async () => {
    mkdirSync(folder(), { mode: 0o700 });
    const start = async () => {
      writeFileSync(socketPath(folder(), 'taken'), '');
      await startKeeper(folder(), 'taken', { build: '1.0.0', limits: {} });
    };
    await expect(start()).rejects.toThrow(/could not start the keeper of terminals:[^]*EADDRINUSE/);
    await expect(start()).rejects.toThrow(PtyError);
    expect(readdirSync(folder())).toEqual([]);
  });

  test('that cannot start is reported with the cause, even when its log is missing', async () => {
    mkdirSync(folder(), { mode: 0o700 });
    writeFileSync(socketPath(folder(), 'taken'), '');
    const started = startKeeper(folder(), 'taken', { build: '1.0.0', limits: {} });
    rmSync(logPath(folder(), 'taken'));
    await expect(started).rejects.toThrow(
      /could not start the keeper of terminals:[^]*it ended at once \(1\)[^]*ENOENT/,
    );
    await expect(started).rejects.toThrow(PtyError);
  });

  test('of another version keeps its ptys beside the new keeper, and ends with them', async () => {
    const first = keepers.owner({ build: '1.0.0' });
    const old = keepers.watch(await first.spawn(shell('old', 'stty -echo; echo ready; cat')));
    const before = read(old);
    await before.shows('ready');
    await first.close();
    const oldKeeper = keepers.keeperPid;

    const second = keepers.owner({ build: '2.0.0' });
    const {
      ptys: [adopted],
    } = await second.adopt();
    if (adopted === undefined) throw new Error('the pty was not found');
    const heard = read(adopted, before.output().length);
    keepers.watch(await second.spawn(shell('new', 'cat')));
    expect(keepers.keeperPids).toEqual([oldKeeper, expect.any(Number)]);
    adopted.write('still driven\n');
    await heard.shows('still driven\r\n');
    await adopted.kill();
    expect(await heard.exitCode).toBeGreaterThan(128);
    adopted.release();
    await untilGone(oldKeeper);
    expect(readdirSync(folder()).filter((entry) => entry.endsWith('.sock'))).toHaveLength(1);
  });

  test('ends by itself when it has no pty and no host, and removes its files', async () => {
    const owner = keepers.owner();
    const pty = keepers.watch(await owner.spawn(shell('a', 'true')));
    expect(await read(pty).exitCode).toBe(0);
    pty.release();
    await owner.close();
    expect(readdirSync(folder())).not.toEqual([]);
    await untilGone(keepers.keeperPid);
    expect(readdirSync(folder())).toEqual([]);
  });

  test('that is killed ends its ptys after their received output, and the next spawn starts another keeper', async () => {
    const owner = keepers.owner();
    const pty = keepers.watch(await owner.spawn(shell('a', 'echo ready; exec sleep 1000')));
    const unread = keepers.watch(await owner.spawn(shell('b', 'exec sleep 1000')));
    const heard = read(pty);
    await heard.shows('ready');
    const killed = keepers.keeperPid;
    process.kill(killed, 'SIGKILL');
    expect(await heard.exitCode).toBe(129);
    expect(heard.output()).toBe('ready\r\n');
    expect(await read(unread).exitCode).toBe(129);
    await pty.kill();
    const next = keepers.watch(await owner.spawn(shell('c', 'echo again')));
    const again = read(next);
    expect(await again.exitCode).toBe(0);
    expect(again.output()).toBe('again\r\n');
    expect(keepers.keeperPid).not.toBe(killed);
  });

  test('that is stuck continues its ptys when it answers again, and new ptys start in another keeper', async () => {
    const owner = keepers.owner({ aliveTimeoutMs: 300 });
    const pty = keepers.watch(await owner.spawn(shell('a', 'stty -echo; echo ready; cat')));
    const heard = read(pty);
    await heard.shows('ready');
    const stuck = keepers.keeperPid;
    process.kill(stuck, 'SIGSTOP');
    const others = await Promise.all(['b', 'c'].map((id) => owner.spawn(shell(id, 'echo here; cat'))));
    for (const other of others) await read(keepers.watch(other)).shows('here');
    expect(keepers.keeperPids).toHaveLength(2);
    pty.write('typed meanwhile\n');
    process.kill(stuck, 'SIGCONT');
    await heard.shows('typed meanwhile');
    keepers.watch(await owner.spawn(shell('d', 'cat')));
    expect(keepers.keeperPids).toHaveLength(2);
    await pty.kill();
    await heard.exitCode;
    pty.release();
    // It would start no other pty.
    await untilGone(stuck);
  });

  test('that is stuck at the start of a host does not delay it, and its ptys appear when it answers', async () => {
    const first = keepers.owner();
    const pty = keepers.watch(await first.spawn(shell('a', 'stty -echo; echo ready; cat')));
    const before = read(pty);
    await before.shows('ready');
    await first.close();
    const stuck = keepers.keeperPid;
    process.kill(stuck, 'SIGSTOP');
    const owner = keepers.owner({ aliveTimeoutMs: 100 });
    const { ptys, late } = await owner.adopt();
    expect(ptys).toEqual([]);
    expect(late).toHaveLength(1);
    const other = keepers.watch(await owner.spawn(shell('b', 'echo here; cat')));
    await read(other).shows('here');
    process.kill(stuck, 'SIGCONT');
    const [[again] = []] = await Promise.all(late);
    if (again === undefined) throw new Error('the pty was not found');
    const heard = read(again, before.output().length);
    again.write('still there\n');
    await heard.shows('still there');
    expect(again.pid).toBe(pty.pid);
    // New ptys start in the other keeper as long as that exists.
    expect(keepers.keeperPids).toHaveLength(2);
  });

  test('that is killed while a host waits for it has no ptys, and the next host removes its socket', async () => {
    const first = keepers.owner();
    const pty = keepers.watch(await first.spawn(shell('a', 'exec sleep 1000')));
    await first.close();
    const stuck = keepers.keeperPid;
    process.kill(stuck, 'SIGSTOP');
    const { late } = await keepers.owner({ aliveTimeoutMs: 100 }).adopt();
    process.kill(stuck, 'SIGKILL');
    expect(await Promise.all(late)).toEqual([[]]);
    await untilGone(pty.pid);
    expect(await keepers.owner().adopt()).toEqual({ ptys: [], late: [] });
    expect(readdirSync(folder())).toEqual([]);
  });

  test('that is stuck does not prevent a stop of the host', async () => {
    const first = keepers.owner();
    const pty = keepers.watch(await first.spawn(shell('a', 'exec sleep 1000')));
    await first.close();
    process.kill(keepers.keeperPid, 'SIGSTOP');
    const owner = keepers.owner({ aliveTimeoutMs: 100 });
    const { late } = await owner.adopt();
    await owner.close();
    expect(await Promise.all(late)).toEqual([[]]);
    process.kill(keepers.keeperPid, 'SIGCONT');
    expect((await keepers.owner().adopt()).ptys.map(({ pid }) => pid)).toEqual([pty.pid]);
  });

  /** A process that disconnects its first host before its hello or before its list, and lists a pty to the second one. */
  test.each(['hello', 'list'])('that fails once before its %s is asked once more', async (failsAt) => {
    mkdirSync(folder(), { mode: 0o700 });
    let visits = 0;
    const server = await listen('shaky', (socket) => {
      visits += 1;
      const isFirst = visits === 1;
      if (isFirst && failsAt === 'hello') {
        socket.destroy();
        return;
      }
      const reader = new FrameReader((frame) => {
        const message = frame.kind === 'control' ? parseHostMessage(frame.text) : undefined;
        if (message?.type !== 'list') return;
        if (isFirst) socket.destroy();
        else
          socket.write(
            controlFrame({
              type: 'listed',
              request: message.request,
              ptys: [{ pty: 1, id: 'kept', pid: 1 }],
            }),
          );
      });
      socket.on('data', (chunk: Buffer) => reader.push(chunk));
      socket.write(controlFrame({ type: 'hello', protocol: KEEPER_PROTOCOL, build: '1.0.0', pid: 0 }));
    });
    const owner = keepers.owner();
    expect((await owner.adopt()).ptys.map(({ id }) => id)).toEqual(['kept']);
    expect(keepers.log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    await owner.close();
    server.close();
  });

  test('that starts a pty too late for its caller is told to end it', async () => {
    mkdirSync(folder(), { mode: 0o700 });
    const heard: (HostMessage | undefined)[] = [];
    const answer = (socket: Socket, message: HostMessage | undefined) => {
      heard.push(message);
      if (message?.type === 'list')
        socket.write(controlFrame({ type: 'listed', request: message.request, ptys: [] }));
      if (message?.type === 'kill') socket.write(controlFrame({ type: 'killed', request: message.request }));
    };
    let keeper: Socket | undefined;
    const server = await listen('slow', (socket) => {
      keeper = socket;
      const reader = new FrameReader((frame) => {
        if (frame.kind === 'control') answer(socket, parseHostMessage(frame.text));
      });
      socket.on('data', (chunk: Buffer) => reader.push(chunk));
      socket.write(controlFrame({ type: 'hello', protocol: KEEPER_PROTOCOL, build: '1.0.0', pid: 0 }));
    });
    const owner = keepers.owner({ timeoutMs: 300 });
    expect(await owner.adopt()).toEqual({ ptys: [], late: [] });
    await expect(owner.spawn(shell('late', 'cat'))).rejects.toThrow('did not answer within 300 ms');
    const spawned = heard.at(-1);
    if (spawned?.type !== 'spawn') throw new Error('no spawn came');
    keeper?.write(controlFrame({ type: 'spawned', request: spawned.request, pty: 5, pid: 1 }));
    await until('it is released', () => heard.at(-1)?.type === 'release');
    expect(heard.slice(-2)).toEqual([
      { type: 'kill', request: spawned.request + 1, pty: 5, forgets: true },
      { type: 'release', pty: 5 },
    ]);
    await owner.close();
    server.close();
  });

  test('takes long input in order, never cut inside a character', async () => {
    const owner = keepers.owner();
    const file = join(keepers.root, 'typed');
    const pty = keepers.watch(
      await owner.spawn(shell('a', `stty raw -echo; echo ready; head -c 1200000 > ${file}`)),
    );
    const heard = read(pty);
    await heard.shows('ready');
    const text = '🙂abcdefgh'.repeat(100_000);
    pty.write('');
    for (let at = 0; at < text.length; at += 333_333) pty.write(text.slice(at, at + 333_333));
    expect(await heard.exitCode).toBe(0);
    expect(readFileSync(file, 'utf8') === text).toBe(true);
  });
});

describe('an owner', () => {
  test('that was closed starts no pty', async () => {
    const owner = keepers.owner();
    expect(await owner.adopt()).toEqual({ ptys: [], late: [] });
    await owner.close();
    await owner.close();
    await expect(owner.spawn(shell('a', 'cat'))).rejects.toThrow(PtyError);
    expect(readdirSync(keepers.dataDir)).toEqual([]);
  });

  test('that is closed while its first keeper starts leaves no pty', async () => {
    const owner = keepers.owner();
    const spawned = owner.spawn(shell('a', 'cat'));
    const closed = owner.close();
    await expect(spawned).rejects.toThrow(PtyError);
    await closed;
    expect(await keepers.owner().adopt()).toEqual({ ptys: [], late: [] });
  });
});
