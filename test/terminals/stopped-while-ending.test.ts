import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AhpClient, connect, type TerminalHandle } from '@agenthost/client';
import { createHost, type Host } from '@agenthost/host';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endKeepers, isAlive, keeperPids, until } from '../kill/processes.ts';
import { shows } from './stage.ts';

/** Several tries, since the stop sometimes reaches the keeper before the process has ended and sometimes after. */
const TRIES = 6;

/** Ends at the first signal. */
const TICKING = 'echo "pid $$"; i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.02; done';
/** Ignores TERM and HUP; the keeper kills it after two seconds. */
const STUBBORN = `trap '' TERM HUP; echo "pid $$"; while :; do sleep 600; done`;

let folder = '';
const dataDirs: string[] = [];
const hosts: Host[] = [];

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-ending-')));
});

afterAll(async () => {
  for (const host of hosts) await host.stop();
  for (const dataDir of dataDirs) await endKeepers(dataDir);
  await rm(folder, { recursive: true, force: true });
});

async function serve(dataDir: string): Promise<{ host: Host; client: AhpClient }> {
  const host = createHost({
    dataDir,
    agents: [],
    roots: [folder],
    defaultDirectory: folder,
    listen: { port: 0, token: 'ending' },
  });
  hosts.push(host);
  const address = await host.start();
  if (address === undefined) throw new Error('the host does not listen');
  return { host, client: await connect(address.wsUrl, { token: 'ending' }) };
}

function newDataDir(): string {
  const dataDir = join(folder, `data-${dataDirs.length}`);
  dataDirs.push(dataDir);
  return dataDir;
}

/** Starts a host and a terminal with a running process. */
async function withTerminal(
  dataDir: string,
  script: string,
): Promise<{ host: Host; client: AhpClient; terminal: TerminalHandle; pid: number }> {
  const { host, client } = await serve(dataDir);
  const terminal = await client.createTerminal({ command: ['/bin/sh', '-c', script] });
  const pid = Number(/pid (\d+)\r?\n/.exec(await shows(terminal, /pid \d+\r?\n/))?.[1]);
  return { host, client, terminal, pid };
}

/** Fails unless the one keeper of the hosts on this folder ends by itself, with its terminal's process. */
async function expectAllGone(dataDir: string, pid: number): Promise<void> {
  const [keeper = 0, ...others] = await keeperPids(dataDir);
  expect(others).toEqual([]);
  await until(`process ${pid} has ended`, () => !isAlive(pid));
  await until(`keeper ${keeper} has ended`, () => !isAlive(keeper));
}

// A keeper waits five seconds for the next host, so the tests run concurrently.
describe.concurrent('a host that is stopped', () => {
  it.each([
    ['right behind the end of a terminal', TICKING, TRIES],
    ['right behind that of a terminal whose program has to be killed', STUBBORN, 1],
  ])('%s leaves no keeper, and no error in its log', async (_when, script, tries) => {
    const left: { dataDir: string; pid: number }[] = [];
    for (let index = 0; index < tries; index += 1) {
      const dataDir = newDataDir();
      const { host, client, terminal, pid } = await withTerminal(dataDir, script);
      await terminal.dispose();
      await host.stop();
      client.close();
      left.push({ dataDir, pid });
    }
    for (const { dataDir, pid } of left) await expectAllGone(dataDir, pid);
    for (const { dataDir } of left)
      expect(await readFile(join(dataDir, 'agenthost.log'), 'utf8')).not.toContain('could not end');
  });

  it('right after its start ends processes without a terminal, and leaves no keeper', async () => {
    const dataDir = newDataDir();
    const first = await withTerminal(dataDir, STUBBORN);
    await first.host.stop();
    first.client.close();
    expect(isAlive(first.pid)).toBe(true);
    await rm(join(dataDir, 'journal.db'));

    const second = await serve(dataDir);
    expect((await second.client.terminals()).items).toEqual([]);
    await second.host.stop();
    second.client.close();
    await expectAllGone(dataDir, first.pid);
  });
});
