import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from '../kill/host-process.ts';
import { RudeClient } from './rude-client.ts';

/** About a hundred times the duration of any of them on a quiet machine. */
const LIMIT_MS = 10_000;

let folder = '';
let host: HostProcess;
let client: RudeClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-bombs-'));
  host = new HostProcess(join(folder, 'data'), folder);
  await host.start();
  client = await RudeClient.connect(host.address);
  await client.initialize('bomber');
  await client.request('createSession', { channel: 'ahp-session:/s', provider: 'demo' });
}, 60_000);

afterEach(async () => {
  expect(host.isRunning, host.errors).toBe(true);
  expect(await client.pingMs()).toBeLessThan(LIMIT_MS);
});

afterAll(async () => {
  await client.close();
  await host.stop();
  await rm(folder, { recursive: true });
});

describe('JSON that costs more than its size', () => {
  const call = (params: string): string => `{"jsonrpc":"2.0","id":7,"method":"ping","params":${params}}`;
  const DEEP = 1_000_000;
  test.each<readonly [string, () => string, readonly number[]]>([
    ['a million lists in one another', () => call(`{"a":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`), [-32600]],
    ['a million objects in one another', () => call(`${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`), [-32600]],
    ['lists that nobody closes', () => call('['.repeat(8 * DEEP)), [-32600]],
    ['a number of 8 MB', () => call(`{"channel":${'9'.repeat(8 * DEEP)}}`), [-32602]],
    ['a fraction of 8 MB', () => call(`{"channel":0.${'3'.repeat(8 * DEEP)}}`), [-32602]],
    ['a million empty objects', () => call(`{"channel":[${'{},'.repeat(DEEP)}1]}`), [-32600]],
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
    '%s is refused in time',
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
    'keys such as %s change only their own object',
    async (key) => {
      const evil = `{"${key}":{"polluted":true,"prototype":{"polluted":true},"channel":"ahp-root://"}}`;
      client.answers.length = 0;
      expect((await client.answerTo(call(evil)))?.error?.code).toBe(-32602);
      const config = `{"jsonrpc":"2.0","id":8,"method":"resolveSessionConfig","params":{"channel":"ahp-root://","provider":"demo","config":${evil}}}`;
      expect(JSON.stringify(await client.answerTo(config))).not.toContain('"polluted":true,"id"');
      // Every answer would contain a changed prototype.
      const { result } = await client.request('listSessions', { channel: 'ahp-root://' });
      for (const item of JSON.parse(JSON.stringify(result)).items)
        expect(Object.keys(item)).not.toContain('polluted');
    },
  );
});
