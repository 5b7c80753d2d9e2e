import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ControlledNetwork } from '@agenthost/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryJournal } from '../src/journal/memory/memory-journal.ts';
import { createHost, type Host } from '../src/main/create-host.ts';
import type { HostOptions, TerminalOptions } from '../src/main/options.ts';
import { PuppetAgent } from './puppet-agent.ts';
import { RawClient } from './raw-client.ts';
import { exitCodeOf } from './terminal-fixture.ts';

const TERMINAL = 'ahp-terminal:/real';

let folder: string;
let host: Host | undefined;
/** Content of the snapshot. */
let before = '';
let exited: number | undefined;
const network = new ControlledNetwork();

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-terminals-')));
});

afterEach(async () => {
  await host?.stop();
  host = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** Delivers messages in real time until the condition holds. */
async function until(isTrue: () => boolean): Promise<void> {
  const end = Date.now() + 20_000;
  while (!isTrue()) {
    if (Date.now() > end) throw new Error('what was waited for has not happened');
    for (const link of network.links) link.deliverAll();
    await delay(1);
  }
}

/** A host with real ptys, and a client with a terminal that runs `params`. */
async function open(params: object, terminals: TerminalOptions = {}): Promise<RawClient> {
  await start({
    journal: new MemoryJournal(),
    terminals: { env: { PS1: '$ ', HISTFILE: '' }, ...terminals },
  });
  const client = await connect();
  const claim = { kind: 'client', clientId: client.clientId } as const;
  await client.request('createTerminal', { channel: TERMINAL, claim, ...params });
  await look(client);
  return client;
}

async function start(options: Partial<HostOptions>): Promise<void> {
  host = createHost({ agents: [() => new PuppetAgent()], defaultDirectory: folder, ...options });
  await host.start();
}

async function connect(): Promise<RawClient> {
  const running = host;
  if (running === undefined) throw new Error('there is no host');
  network.accept = (transport) => running.accept(transport, { tokenHash: 'owner', scope: 'admin' as const });
  const client = new RawClient(network.connect(), 'desk', until);
  await client.initialize();
  return client;
}

/** Subscribes, and stores the content of the snapshot. */
async function look(client: RawClient): Promise<void> {
  const { state } = await client.subscribe(TERMINAL);
  const content = 'content' in state ? state.content : [];
  before = content.map((part) => (part.type === 'command' ? part.output : part.value)).join('');
  exited = 'content' in state ? exitCodeOf(state) : undefined;
}

/** All output so far, of all parts. */
const output = (client: RawClient): string =>
  before +
  client
    .envelopes(TERMINAL)
    .map(({ action }) => (action.type === 'terminal/data' ? action.data : ''))
    .join('');

const exitCode = (client: RawClient): number | undefined =>
  exited ??
  client
    .envelopes(TERMINAL)
    .flatMap(({ action }) => (action.type === 'terminal/exited' ? [action.exitCode] : []))[0];

const hasExited = (client: RawClient) => (): boolean => exitCode(client) !== undefined;

const type = (client: RawClient, data: string): void =>
  void client.dispatch(TERMINAL, { type: 'terminal/input', data });

describe('a real pty', () => {
  it('[TERM-1] runs the command given in place of the shell, with its environment, folder and size', async () => {
    const client = await open({
      'x-command': ['sh', '-c', 'echo "$TERM|$WHO|$(pwd)|$(stty size)"'],
      'x-env': { WHO: 'me' },
      cwd: pathToFileURL(folder).href,
      cols: 101,
      rows: 33,
    });
    await until(hasExited(client));
    expect(output(client)).toBe(`xterm-256color|me|${folder}|33 101\r\n`);
    expect(exitCode(client)).toBe(0);
  });

  it('[TERM-2] echoes keys, and shows their effect', async () => {
    const client = await open({}, { shell: '/bin/sh' });
    type(client, 'echo a$((40 + 2))b\r');
    await until(() => output(client).includes('a42b\r\n'));
    type(client, 'exit 3\r');
    await until(hasExited(client));
    expect(exitCode(client)).toBe(3);
  });

  it('[TERM-6] [TERM-1] ends with 128 + n for signal n, sent to the foreground process', async () => {
    const client = await open({ 'x-command': ['sh', '-c', 'echo ready; exec sleep 100'] });
    await until(() => output(client).includes('ready'));
    await client.request('x-signalTerminal', { channel: TERMINAL, signal: 'TERM' });
    await until(hasExited(client));
    expect(exitCode(client)).toBe(143);
  });

  it('[TERM-1] a disposed terminal leaves no process', async () => {
    const client = await open({ 'x-command': ['sh', '-c', 'sleep 100 & echo $!; wait'] });
    await until(() => output(client).includes('\n'));
    const pid = Number.parseInt(output(client), 10);
    await client.request('disposeTerminal', { channel: TERMINAL });
    await until(() => !isAlive(pid));
    expect(isAlive(pid)).toBe(false);
  });

  it('[TERM-2] [TERM-3] shows commands of a bash as parts, with exit codes, and no marks', async () => {
    const client = await open({}, { shell: '/bin/bash', env: { HOME: folder } });
    await until(() => /[#$] /.test(output(client)));
    type(client, 'printf "x\\n"; (exit 4)\r');
    await until(() => client.types(TERMINAL).includes('terminal/commandFinished'));
    const { state } = await client.subscribe(TERMINAL);
    const parts = 'content' in state ? state.content : [];
    expect(parts.filter((part) => part.type === 'command')).toEqual([
      {
        type: 'command',
        commandId: expect.any(String),
        commandLine: 'printf "x\\n"; (exit 4)',
        output: 'x\r\n',
        timestamp: expect.any(Number),
        isComplete: true,
        exitCode: 4,
        durationMs: expect.any(Number),
      },
    ]);
    expect(output(client)).not.toMatch(/\x1b\](633|133|7|1337);/);
    expect(await readdir(folder)).toEqual([]);
  });

  it('[TERM-2] sends every byte of a flood, in order, before the exit', async () => {
    const client = await open({ 'x-command': ['seq', '1', '200000'] });
    await until(hasExited(client));
    const expected = `${Array.from({ length: 200_000 }, (_, index) => index + 1).join('\r\n')}\r\n`;
    expect(output(client) === expected).toBe(true);
    expect(exitCode(client)).toBe(0);
  });

  it('[CONN-8] without a keeper, ends visibly with the host', async () => {
    const client = await open({ 'x-command': ['sleep', '100'] });
    const stopping = host?.stop();
    await until(() => client.closed !== undefined);
    await stopping;
    host = undefined;
    expect(exitCode(client)).toBe(129);
  });
});

describe('a keeper', () => {
  it('[CONN-8] [TERM-6] keeps terminals over a restart of the host, with every byte and the exit code', async () => {
    const options = { dataDir: join(folder, 'data') };
    await start(options);
    const desk = await connect();
    const claim = { kind: 'client', clientId: desk.clientId } as const;
    const script = 'i=0; while [ $i -lt 60 ]; do i=$((i+1)); echo "line $i"; sleep 0.02; done; exit 7';
    await desk.request('createTerminal', { channel: TERMINAL, claim, 'x-command': ['sh', '-c', script] });
    await look(desk);
    await until(() => output(desk).includes('line 5\r\n'));
    const stopping = host?.stop();
    await until(() => desk.closed !== undefined);
    await stopping;
    await start(options);
    const again = await connect();
    await look(again);
    await until(hasExited(again));
    expect(output(again)).toBe(Array.from({ length: 60 }, (_, index) => `line ${index + 1}\r\n`).join(''));
    expect(exitCode(again)).toBe(7);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
