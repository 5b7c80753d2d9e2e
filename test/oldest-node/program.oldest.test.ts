// The program as users run it, on the oldest Node: a host, prompts, a kill, and what is there afterwards.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../source-graph.ts';

const run = promisify(execFile);
const program = join(root, 'packages/cli/bin/agenthost.js');

const home = mkdtempSync(join(tmpdir(), 'agenthost-oldest-'));
const work = join(home, 'work');
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  LANG: 'C.UTF-8',
  XDG_CONFIG_HOME: join(home, 'config'),
  XDG_DATA_HOME: join(home, 'share'),
  XDG_STATE_HOME: join(home, 'state'),
};
let host: ChildProcess | undefined;

/** Starts the host and resolves when it is ready. */
async function serve(): Promise<void> {
  const args = [program, 'serve', '--port', '0', '--json', '--data', join(home, 'data')];
  const child = spawn(process.execPath, args, { cwd: work, env, stdio: ['ignore', 'pipe', 'pipe'] });
  host = child;
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'close').then(() => Promise.reject(new Error(`the host ended: ${errors}`))),
  ]);
  expect(JSON.parse(String(line))).toMatchObject({ pid: child.pid });
}

/** Ends the host; resolves with its exit code, or null after a kill. */
async function end(signal: NodeJS.Signals): Promise<number | null> {
  const child = host;
  host = undefined;
  if (child === undefined) return null;
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
  return child.exitCode;
}

/** What the program wrote to stdout; rejects on an exit code other than 0. */
async function agenthost(...args: string[]): Promise<string> {
  return (await run(process.execPath, [program, ...args], { cwd: work, env })).stdout;
}

async function sessions(): Promise<{ resource: string; title: string }[]> {
  const lines = (await agenthost('sessions', '--json')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}

beforeAll(async () => {
  mkdirSync(work);
  await serve();
});

afterAll(async () => {
  await end('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

test('a prompt is answered, and what the agent may write is written', async () => {
  expect(await agenthost('run', 'say good morning')).toContain('good morning');
  expect(await agenthost('run', 'write note.txt from an older Node', '--approve', 'all')).toContain(
    'note.txt',
  );
  expect(readFileSync(join(work, 'note.txt'), 'utf8')).toBe('from an older Node\n');
});

test('sessions are listed and shown with what they take on disk', async () => {
  const listed = await sessions();
  expect(listed.map(({ title }) => title)).toEqual(['write note.txt from an older Node', 'say good morning']);
  const [newest] = listed;
  const shown = await agenthost('sessions', 'show', newest?.resource ?? '', '--json');
  expect(JSON.parse(shown)).toMatchObject({
    resource: newest?.resource,
    diskUse: { turnsBytes: expect.any(Number), contentBytes: expect.any(Number) },
  });
});

test('after a kill everything is there, work goes on, and a session can be deleted', async () => {
  const before = await sessions();
  await end('SIGKILL');
  await serve();
  expect(await sessions()).toEqual(before);
  expect(await agenthost('run', 'say good night')).toContain('good night');
  await agenthost('sessions', 'rm', before[0]?.resource ?? '');
  expect((await sessions()).map(({ title }) => title)).toEqual(['say good night', 'say good morning']);
});

test('it stops when asked to, with exit code 0', async () => {
  expect(await end('SIGTERM')).toBe(0);
});
