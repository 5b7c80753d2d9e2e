import { mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createDemoProvider } from '@agenthost/agents';
import { type AhpClient, contentText, createClient, type TerminalHandle } from '@agenthost/client';
import { createHost } from '@agenthost/host';
import { hasExited } from '@agenthost/protocol';
import { connectWebSocket } from '@agenthost/rpc/websocket';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HostProcess } from '../kill/host-process.ts';
import { endKeepers, isAlive, keeperPids, until } from '../kill/processes.ts';
import { shows } from './stage.ts';

/** A full-screen program that reports every signal that it receives, and draws a row for each line that it reads. */
const FULL_SCREEN = String.raw`
  for name in HUP INT QUIT TERM CONT USR1 WINCH; do trap "echo got $name" $name; done
  stty -echo; printf '\033[?1049h\033[2J\033[Hpid %d\n' $$; n=1
  while read -r line; do n=$((n + 1)); printf '\033[%d;5H\033[7mrow %d: %s\033[0m' $n $n "$line"; done`;

const LOST = 129;

let folder = '';
let dataDir = '';
let running: HostProcess | undefined;
let clients: AhpClient[] = [];
let pids: number[] = [];

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-restart-')));
  dataDir = join(folder, 'data');
});

afterEach(async () => {
  for (const client of clients) client.close();
  clients = [];
  await running?.stop();
  running = undefined;
  await endKeepers(dataDir);
  for (const pid of pids) await until(`process ${pid} has ended`, () => !isAlive(pid));
  pids = [];
  await rm(folder, { recursive: true, force: true });
});

/** `agenthost serve` on the test's data folder. */
async function serve(...args: string[]): Promise<HostProcess> {
  running = new HostProcess(dataDir, folder, args);
  await running.start();
  return running;
}

/** A client that reconnects by itself. */
async function attend(address: () => { readonly wsUrl: string; readonly token: string }): Promise<AhpClient> {
  const client = createClient({
    backoff: { minMs: 20, maxMs: 100 },
    transport: (signal) => {
      const { wsUrl, token } = address();
      return connectWebSocket(`${wsUrl}?token=${token}`, { signal });
    },
  });
  clients.push(client);
  await client.connect();
  return client;
}

const open = (client: AhpClient, script: string): Promise<TerminalHandle> =>
  client.createTerminal({ command: ['/bin/sh', '-c', script], cwd: pathToFileURL(folder).href });

/** Pid that the process in a terminal prints. The process must be gone at the end of the test. */
async function pidIn(terminal: TerminalHandle): Promise<number> {
  const pid = Number(/pid (\d+)\r?\n/.exec(await shows(terminal, /pid \d+\r?\n/))?.[1]);
  pids.push(pid);
  return pid;
}

async function restarted(host: HostProcess, client: AhpClient): Promise<void> {
  await host.start();
  await client.whenOnline();
  await client.ping();
}

/** Fails unless a terminal shows that its process was lost, with all output before that. */
async function expectLost(terminal: TerminalHandle, before: string): Promise<void> {
  expect(await terminal.exited).toBe(LOST);
  expect(contentText(terminal.mirror.confirmed.content)).toBe(before);
}

/** Fails unless new terminals work. */
async function expectNewOne(client: AhpClient): Promise<void> {
  const terminal = await open(client, 'read line; echo "it said $line"; exit 4');
  await terminal.input('yes\r');
  expect(await terminal.exited).toBe(4);
  expect(contentText(terminal.state.content)).toContain('it said yes\r\n');
  await terminal.dispose();
}

describe('a host that is stopped and started again', () => {
  it('[TERM-6] [CONN-8] continues its terminals, whose programs notice nothing', async () => {
    const host = await serve();
    const client = await attend(() => host.address);
    const terminal = await open(client, FULL_SCREEN);
    const session = await client.sessions.create({ provider: 'demo' });
    const background = await open(client, 'echo "pid $$"; exec sleep 600');
    await background.claim({ session: session.uri, chat: session.chat.mirror.uri });
    const [pid] = [await pidIn(terminal), await pidIn(background)];
    await terminal.input('before\r');
    await shows(terminal, 'row 2: before');
    await terminal.rename('screen');
    const states = [terminal.mirror.confirmed, background.mirror.confirmed];

    expect(await host.stop()).toBe(0);
    expect(isAlive(pid)).toBe(true);
    await restarted(host, client);
    expect([terminal.mirror.confirmed, background.mirror.confirmed]).toEqual(states);
    const other = await attend(() => host.address);
    const again = await other.terminal(terminal.uri);
    expect([again.state, (await other.terminal(background.uri)).state]).toEqual(states);
    expect((await other.terminals()).items).toEqual([
      {
        resource: terminal.uri,
        title: 'screen',
        claim: { kind: 'client', clientId: client.clientId },
        lifecycle: { status: 'running' },
      },
      {
        resource: background.uri,
        title: states[1]?.title,
        lifecycle: { status: 'running' },
        claim: { kind: 'session', session: session.uri, chat: session.chat.mirror.uri },
      },
    ]);

    await terminal.input('after\r');
    const shown = await shows(again, 'row 3: after');
    expect(shown).not.toContain('got ');
    expect(await shows(terminal, 'row 3: after')).toBe(shown);
    expect(await keeperPids(dataDir)).toHaveLength(1);
    await terminal.dispose();
    await background.dispose();
    await until(`process ${pid} has ended`, () => !isAlive(pid));
  });

  it('[TERM-3] shows output of its terminals from the time without a host', async () => {
    const host = await serve();
    const client = await attend(() => host.address);
    const gate = join(folder, 'gate');
    const terminal = await open(
      client,
      `echo "pid $$"; while [ ! -e ${gate} ]; do sleep 0.02; done; seq 1 20000; exit 9`,
    );
    const pid = await pidIn(terminal);
    expect(await host.stop()).toBe(0);
    await writeFile(gate, '');
    await until(`process ${pid} has ended`, () => !isAlive(pid));
    await restarted(host, client);
    expect(await terminal.exited).toBe(9);
    const lines = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\r\n`).join('');
    expect(contentText(terminal.state.content) === `pid ${pid}\r\n${lines}`).toBe(true);
  });

  it.each(['stopped', 'killed'])(
    '[CONN-8] without a keeper: when %s, its terminals end with it, and show as exited with their output',
    async (how) => {
      const host = await serve('--no-keeper');
      const client = await attend(() => host.address);
      const terminal = await open(client, 'echo "pid $$"; exec sleep 600');
      const pid = await pidIn(terminal);
      const before = contentText(terminal.state.content);
      await (how === 'killed' ? host.kill() : host.stop());
      await until(`process ${pid} has ended`, () => !isAlive(pid));
      await restarted(host, client);
      await expectLost(terminal, before);
      const fresh = await attend(() => host.address);
      await expectLost(await fresh.terminal(terminal.uri), before);
      expect((await fresh.terminals()).items).toMatchObject([
        { resource: terminal.uri, lifecycle: { status: 'exited', exitCode: LOST } },
      ]);
      expect(await keeperPids(dataDir)).toEqual([]);
      await expectNewOne(client);
    },
  );
});

describe('a keeper', () => {
  it('[CONN-8] that is killed ends its terminals, which show as exited, and the next terminal gets another keeper', async () => {
    const host = await serve();
    const client = await attend(() => host.address);
    const terminal = await open(client, FULL_SCREEN);
    await pidIn(terminal);
    const before = contentText(terminal.state.content);
    const [keeper = 0, ...others] = await keeperPids(dataDir);
    expect(others).toEqual([]);
    process.kill(keeper, 'SIGKILL');
    await expectLost(terminal, before);
    // The process requests a notification of HUP and survives it.
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    expect(await terminal.input('too late\r')).toMatchObject({ outcome: 'rejected' });
    await expectNewOne(client);
    expect(await keeperPids(dataDir)).toHaveLength(2);
  });

  it('[CONN-8] that is killed while no host runs leaves a socket that does not prevent a start', async () => {
    const host = await serve();
    const client = await attend(() => host.address);
    const terminal = await open(client, 'echo "pid $$"; exec sleep 600');
    const pid = await pidIn(terminal);
    const before = contentText(terminal.state.content);
    await host.stop();
    const [keeper = 0] = await keeperPids(dataDir);
    process.kill(keeper, 'SIGKILL');
    await until(`process ${pid} has ended`, () => !isAlive(pid));
    const keepers = join(dataDir, 'keepers');
    expect((await readdir(keepers)).filter((name) => name.endsWith('.sock'))).toHaveLength(1);
    await restarted(host, client);
    expect(await readdir(keepers)).toEqual([]);
    await expectLost(terminal, before);
    await expectNewOne(client);
  });

  it('of another version finishes its terminals, while new ones begin beside it', async () => {
    const versioned = async (version: string) => {
      const host = createHost({
        dataDir,
        agents: [() => createDemoProvider()],
        roots: [folder],
        defaultDirectory: folder,
        serverInfo: { name: 'agenthost', version },
        listen: { port: 0, token: 'restart' },
      });
      const address = await host.start();
      if (address === undefined) throw new Error('the host does not listen');
      return { host, client: await attend(() => address) };
    };
    const first = await versioned('0.0.1');
    const script = 'stty -echo; echo "pid $$"; while read -r line; do echo "said $line"; done; exit 6';
    const old = await open(first.client, script);
    await pidIn(old);
    first.client.close();
    await first.host.stop();
    const [oldKeeper = 0] = await keeperPids(dataDir);

    const second = await versioned('0.0.2');
    try {
      const adopted = await second.client.terminal(old.uri);
      const mine = await open(second.client, script);
      await pidIn(mine);
      const [, newKeeper = 0, ...others] = await keeperPids(dataDir);
      expect(others).toEqual([]);
      expect([oldKeeper, newKeeper].map(isAlive)).toEqual([true, true]);
      // Its holder is another client, which has disconnected, so it has only a short grace period.
      expect(adopted.holder).toMatchObject({ kind: 'client' });
      await mine.input('new\r');
      await shows(mine, 'said new');
      await second.client.request('x-signalTerminal', { channel: mine.uri, signal: 'INT' });
      expect(await mine.exited).toBe(130);
      expect(hasExited(adopted.state)).toBe(false);
      await adopted.dispose();
      await until('the keeper of the older version has ended', () => !isAlive(oldKeeper));
      expect(isAlive(newKeeper)).toBe(true);
      await expectNewOne(second.client);
      expect(await keeperPids(dataDir)).toEqual([oldKeeper, newKeeper]);
    } finally {
      second.client.close();
      await second.host.stop();
    }
  });

  it('has its socket and log in a folder that only its owner can read, whatever the umask', async () => {
    const umask = process.umask(0);
    try {
      const host = await serve();
      const client = await attend(() => host.address);
      const terminal = await open(client, 'echo "pid $$"; exec sleep 600');
      await pidIn(terminal);
      await terminal.dispose();
    } finally {
      process.umask(umask);
    }
    const keepers = join(dataDir, 'keepers');
    const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    expect(await modeOf(dataDir)).toBe('700');
    expect(await modeOf(keepers)).toBe('700');
    const names = await readdir(keepers);
    expect(names.map((name) => name.replace(/^[0-9a-f]+/, '')).sort()).toEqual(['.log', '.sock']);
    for (const name of names) expect(await modeOf(join(keepers, name))).toBe('600');
  });
});
