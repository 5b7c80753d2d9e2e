import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from '../kill/host-process.ts';
import { RudeClient } from './rude-client.ts';

/** Some hundred times what any of them takes on a quiet machine. */
const LIMIT_MS = 10_000;

let folder = '';
let outside = '';
let work = '';
let host: HostProcess;
let client: RudeClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-bombs-'));
  outside = await mkdtemp(join(tmpdir(), 'agenthost-outside-'));
  work = join(folder, 'work');
  await mkdir(join(work, 'sub'), { recursive: true });
  await writeFile(join(work, 'in.txt'), 'inside');
  await writeFile(join(outside, 'secret.txt'), 'planted-secret');
  host = new HostProcess(join(folder, 'data'), folder);
  await host.start();
  client = await RudeClient.connect(host.address);
  await client.initialize('bomber');
  const workingDirectory = pathToFileURL(work).href;
  await client.request('createSession', { channel: 'ahp-session:/s', provider: 'demo', workingDirectory });
}, 60_000);

afterEach(async () => {
  expect(host.isRunning, host.errors).toBe(true);
  expect(await client.pingMs()).toBeLessThan(LIMIT_MS);
});

afterAll(async () => {
  await client.close();
  await host.stop();
  await rm(folder, { recursive: true });
  await rm(outside, { recursive: true });
}, 30_000);

describe('JSON that costs more than it weighs', () => {
  const call = (params: string): string => `{"jsonrpc":"2.0","id":7,"method":"ping","params":${params}}`;
  const DEEP = 1_000_000;
  test.each<readonly [string, () => string, readonly number[]]>([
    ['a million lists in one another', () => call(`{"a":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`), [-32600]],
    ['a million objects in one another', () => call(`${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`), [-32600]],
    ['lists that nobody closes', () => call('['.repeat(8 * DEEP)), [-32700]],
    ['a number of 8 MB', () => call(`{"channel":${'9'.repeat(8 * DEEP)}}`), [-32602]],
    ['a fraction of 8 MB', () => call(`{"channel":0.${'3'.repeat(8 * DEEP)}}`), [-32602]],
    ['a million empty objects', () => call(`{"channel":[${'{},'.repeat(DEEP)}1]}`), [-32602]],
    [
      'half a million keys',
      () => call(`{${Array.from({ length: DEEP / 2 }, (_, at) => `"k${at}":0`).join()}}`),
      [-32602],
    ],
    ['one key a million times', () => call(`{${'"channel":1,'.repeat(DEEP)}"channel":2}`), [-32602]],
    ['a batch of half a million requests', () => `[${`${call('{}')},`.repeat(DEEP / 5)}1]`, [-32600]],
    [
      'an id of 8 MB',
      () => `{"jsonrpc":"2.0","id":{"a":"${'x'.repeat(8 * DEEP)}"},"method":"ping"}`,
      [-32600],
    ],
    ['a method of 8 MB', () => `{"jsonrpc":"2.0","id":7,"method":"${'x'.repeat(8 * DEEP)}"}`, [-32601]],
    ['escapes of 12 MB', () => call(`{"channel":"${'\\ud800'.repeat(2 * DEEP)}"}`), [-32602]],
  ])(
    '%s is refused, and keeps nobody waiting',
    async (_, text, codes) => {
      client.answers.length = 0;
      const start = performance.now();
      const answer = await client.answerTo(text());
      expect(codes).toContain(answer?.error?.code);
      expect(JSON.stringify(answer).length).toBeLessThan(1_000);
      expect(performance.now() - start).toBeLessThan(LIMIT_MS);
    },
    60_000,
  );

  test.each(['__proto__', 'constructor', 'prototype'])(
    'keys such as %s change nothing but what they stand in',
    async (key) => {
      const evil = `{"${key}":{"polluted":true,"prototype":{"polluted":true},"channel":"ahp-root://"}}`;
      client.answers.length = 0;
      expect((await client.answerTo(call(evil)))?.error?.code).toBe(-32602);
      const config = `{"jsonrpc":"2.0","id":8,"method":"resolveSessionConfig","params":{"channel":"ahp-root://","provider":"demo","config":${evil}}}`;
      expect(JSON.stringify(await client.answerTo(config))).not.toContain('"polluted":true,"id"');
      // Were a prototype changed, every answer would carry it.
      const { result } = await client.request('listSessions', { channel: 'ahp-root://' });
      for (const item of JSON.parse(JSON.stringify(result)).items)
        expect(Object.keys(item)).not.toContain('polluted');
    },
  );
});

describe('[RES-2] files outside of the working directories', () => {
  const read = async (uri: string): Promise<string> =>
    JSON.stringify(await client.request('resourceRead', { channel: 'ahp-root://', uri }));
  const base = (): string => pathToFileURL(work).href;

  test('what is inside is read', async () => {
    expect(await read(`${base()}/in.txt`)).toContain('inside');
    expect(await read(`${base()}/sub/../in.txt`)).toContain('inside');
  });

  test.each<readonly [string, () => string]>([
    ['by ..', () => `${base()}/../../${outside.split('/').at(-1)}/secret.txt`],
    ['by encoded ..', () => `${base()}/%2e%2e/%2E%2e/${outside.split('/').at(-1)}/secret.txt`],
    ['by an encoded slash', () => `${base()}/..%2f..%2f${outside.split('/').at(-1)}%2fsecret.txt`],
    ['by twice encoded ..', () => `${base()}/%252e%252e/secret.txt`],
    ['by overlong UTF-8', () => `${base()}/%c0%ae%c0%ae/secret.txt`],
    ['by a NUL', () => `${base()}/in.txt%00.png`],
    ['by a backslash', () => `${base()}\\..\\..\\secret.txt`],
    ['on another host', () => `file://server${work}/in.txt`],
    ['on a share', () => 'file:////server/share/secret.txt'],
    ['on a drive', () => 'file:///C:/Windows/win.ini'],
    ['of the process: environ', () => 'file:///proc/self/environ'],
    ['of the process: descriptors', () => 'file:///proc/self/fd/0'],
    ['of the process: root', () => `file:///proc/self/root${outside}/secret.txt`],
    ['a device', () => 'file:///dev/zero'],
    ['standard input', () => 'file:///dev/stdin'],
    ['a path of 8 kB', () => `${base()}/${'a/'.repeat(4_000)}x`],
    ['another scheme in capitals', () => `FILE://${outside}/secret.txt`],
    ['the host’s own token', () => pathToFileURL(join(folder, 'data', 'owner-token')).href],
  ])('%s are refused', async (_, uri) => {
    const start = performance.now();
    const answer = await read(uri());
    // One of eight thousand characters took ten seconds once.
    expect(performance.now() - start).toBeLessThan(LIMIT_MS / 4);
    expect(answer).toContain('"error"');
    expect(answer).not.toContain('planted-secret');
    expect(answer).not.toContain('-32603');
  });

  test('links that lead out, in circles or to devices are refused, and a pipe keeps nobody waiting', async () => {
    await symlink(join(outside, 'secret.txt'), join(work, 'out.txt'));
    await symlink(outside, join(work, 'out'));
    await symlink('circle', join(work, 'circle'));
    await symlink('/dev/zero', join(work, 'zero'));
    await symlink('/proc/self/environ', join(work, 'environ'));
    execFileSync('mkfifo', [join(work, 'pipe')]);
    for (const name of [
      'out.txt',
      'out/secret.txt',
      'circle',
      'circle/x',
      'zero',
      'environ',
      'pipe',
      'sub',
    ]) {
      const answer = await read(`${base()}/${name}`);
      expect(answer, name).toContain('"error"');
      expect(answer, name).not.toContain('planted-secret');
    }
  });

  test('a link that changes between look and read never gives what is outside', async () => {
    const swapped = join(work, 'swapped');
    await mkdir(join(work, 'real'));
    await writeFile(join(work, 'real', 'secret.txt'), 'harmless');
    const reading = new AbortController();
    const swapping = (async () => {
      for (let turn = 0; !reading.signal.aborted; turn += 1) {
        await symlink(turn % 2 === 0 ? join(work, 'real') : outside, `${swapped}.new`);
        await rename(`${swapped}.new`, swapped);
      }
    })();
    const answers = new Set<string>();
    for (let round = 0; round < 400; round += 1)
      answers.add((await read(`${base()}/swapped/secret.txt`)).replace(/"id":\d+/, ''));
    reading.abort();
    await swapping;
    expect([...answers].join('\n')).not.toContain('planted-secret');
    expect([...answers].join('\n')).toContain('harmless');
  }, 30_000);
});
