import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AhpClient, connect, contentText, type TerminalHandle } from '@agenthost/client';
import { createHost, type Host } from '@agenthost/host';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endKeepers, isAlive, keeperPids, until } from '../kill/processes.ts';
import { shows } from './stage.ts';

const ECHO = 'stty -echo; echo "pid $$"; while read -r line; do echo "said $line"; done';

let folder = '';
let dataDir = '';
let stopped: number[] = [];
let hosts: { host: Host; client: AhpClient }[] = [];

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-stopped-')));
  dataDir = join(folder, 'data');
});

afterEach(async () => {
  for (const pid of stopped) if (isAlive(pid)) process.kill(pid, 'SIGCONT');
  stopped = [];
  for (const each of hosts) await leave(each);
  hosts = [];
  await endKeepers(dataDir);
  await rm(folder, { recursive: true, force: true });
});

async function serve(): Promise<{ host: Host; client: AhpClient }> {
  const host = createHost({
    dataDir,
    agents: [],
    roots: [folder],
    defaultDirectory: folder,
    listen: { port: 0, token: 'stopped' },
  });
  const address = await host.start();
  if (address === undefined) throw new Error('the host does not listen');
  const served = { host, client: await connect(address.wsUrl, { token: 'stopped', clientId: 'desk' }) };
  hosts.push(served);
  return served;
}

async function leave({ host, client }: { host: Host; client: AhpClient }): Promise<void> {
  client.close();
  await host.stop();
}

const open = (client: AhpClient): Promise<TerminalHandle> =>
  client.createTerminal({ command: ['/bin/sh', '-c', ECHO] });

/** Suspends a keeper, so that connections to it get no answer. */
function suspend(pid: number): void {
  stopped.push(pid);
  process.kill(pid, 'SIGSTOP');
}

/** Fails unless a terminal accepts input. */
async function expectAlive(terminal: TerminalHandle, word: string): Promise<void> {
  await terminal.input(`${word}\r`);
  await shows(terminal, `said ${word}`);
}

/** Stops a host with a terminal in its keeper, and suspends the keeper. */
async function withSuspended(): Promise<{ uri: string; keeper: number; shown: string }> {
  const first = await serve();
  const terminal = await open(first.client);
  await expectAlive(terminal, 'before');
  const shown = contentText(terminal.state.content);
  await leave(first);
  const [keeper = 0] = await keeperPids(dataDir);
  suspend(keeper);
  return { uri: terminal.uri, keeper, shown };
}

describe('a keeper that does not answer', () => {
  it('[CONN-8] [TERM-1] prevents neither a start nor new terminals; its own terminals show their last state, and return with it', async () => {
    const { uri, keeper, shown } = await withSuspended();
    const { client, host } = await serve();
    const catalogue = await client.terminals();
    expect(catalogue.items).toMatchObject([{ resource: uri }]);
    expect(catalogue.items[0]).toMatchObject({ lifecycle: { status: 'running' } });
    const terminal = await client.terminal(uri);
    expect(contentText(terminal.state.content)).toBe(shown);
    expect(await terminal.input('lost\r')).toMatchObject({
      outcome: 'rejected',
      reason: expect.stringContaining('does not answer now'),
    });
    await expect(client.request('x-signalTerminal', { channel: uri, signal: 'INT' })).rejects.toMatchObject({
      code: -32011,
      message: expect.stringContaining('does not answer'),
    });
    const other = await open(client);
    await expectAlive(other, 'beside');
    expect(await keeperPids(dataDir)).toHaveLength(2);

    process.kill(keeper, 'SIGCONT');
    await until('the terminal is there again', () => !host.core.terminals.isAwaited(uri));
    await expectAlive(terminal, 'after');
    expect(contentText(terminal.state.content)).toContain(shown);
    expect(contentText(terminal.state.content)).not.toContain('lost');
    expect(await keeperPids(dataDir)).toHaveLength(2);
  });

  it('[CONN-8] [TERM-6] and is then killed ends its terminals visibly', async () => {
    const { uri, keeper, shown } = await withSuspended();
    const { client } = await serve();
    const terminal = await client.terminal(uri);
    process.kill(keeper, 'SIGKILL');
    expect(await terminal.exited).toBe(129);
    expect(contentText(terminal.state.content)).toBe(shown);
    expect((await client.terminals()).items).toMatchObject([
      { resource: uri, lifecycle: { status: 'exited', exitCode: 129 } },
    ]);
  });

  it('[CONN-8] [TERM-6] ends terminals that were disposed of meanwhile when it answers again', async () => {
    const { uri, keeper, shown } = await withSuspended();
    const pid = Number(/pid (\d+)/.exec(shown)?.[1]);
    const { client } = await serve();
    await (await client.terminal(uri)).dispose();
    expect((await client.terminals()).items).toEqual([]);
    expect(isAlive(pid)).toBe(true);
    process.kill(keeper, 'SIGCONT');
    await until(`process ${pid} has ended`, () => !isAlive(pid));
  });

  it('[TERM-1] while a host runs does not prevent new terminals', async () => {
    const { client } = await serve();
    const terminal = await open(client);
    await expectAlive(terminal, 'before');
    const [keeper = 0] = await keeperPids(dataDir);
    suspend(keeper);
    const others = await Promise.all([open(client), open(client)]);
    for (const other of others) await expectAlive(other, 'beside');
    expect(await keeperPids(dataDir)).toHaveLength(2);
    process.kill(keeper, 'SIGCONT');
    await expectAlive(terminal, 'after');
  });
});

describe('files of an earlier host', () => {
  it('[CONN-8] sockets without a listener are removed and do not prevent a start', async () => {
    const keepers = join(dataDir, 'keepers');
    await mkdir(keepers, { recursive: true, mode: 0o700 });
    for (let index = 0; index < 50; index += 1) {
      const server = createServer().listen(join(keepers, `bound-${index}`));
      await once(server, 'listening');
      // A renamed socket leaves its file behind when its server closes.
      await rename(join(keepers, `bound-${index}`), join(keepers, `stale-${index}.sock`));
      server.close();
    }
    await writeFile(join(keepers, 'file.sock'), 'no socket');
    const { client } = await serve();
    expect(await readdir(keepers)).toEqual([]);
    await expectAlive(await open(client), 'new');
  });

  it('[CONN-8] [TERM-1] an unusable folder of keepers is reported as an error of the host, not of the client', async () => {
    await mkdir(dataDir, { mode: 0o700 });
    await writeFile(join(dataDir, 'keepers'), 'no folder');
    const { client } = await serve();
    await expect(open(client)).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('could not start the keeper of terminals in'),
    });
    expect(await readFile(join(dataDir, 'agenthost.log'), 'utf8')).toContain(
      'could not reach the terminals of the previous host',
    );
  });
});
