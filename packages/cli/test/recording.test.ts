import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readRecording } from '@agenthost/conformance/recording';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Machine } from './cli-process.ts';

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.dispose());

test('--record writes the frames of a command and of the host, and replay sends them again with fresh ids', async () => {
  const [ofHost, ofClient] = [join(machine.home, 'host.ndjson'), join(machine.home, 'client.ndjson')];
  const { host, line } = await machine.serve('--record', ofHost);
  const prompt = 'ask\nsay hello';
  const ran = await machine.start(['run', '--approve', 'all', '--record', ofClient, prompt]).ended;
  expect(ran).toMatchObject({ code: 0, out: 'Pondered.hello\n' });
  expect(statSync(ofHost).mode & 0o777).toBe(0o600);
  const recorded = readFileSync(ofClient, 'utf8');
  expect(recorded).not.toContain(line.token);
  const methods = readRecording(recorded).flatMap((entry) =>
    'message' in entry && entry.direction === 'client-to-host' ? [entry.message?.['method']] : [],
  );
  expect(methods).toEqual(expect.arrayContaining(['initialize', 'createSession', 'dispatchAction']));

  const shown = await machine.start(['replay', ofClient]).ended;
  expect(shown.code).toBe(0);
  expect(shown.out).toMatch(/#1 → dispatchAction chat\/toolCallConfirmed own 2 ahp-chat:/);

  // The format that docs/recordings.md describes, for the tools of others.
  for (const file of [ofHost, ofClient]) {
    const checked = await machine.run(['replay', file, '--check']);
    expect([checked.code, checked.out]).toEqual([0, '']);
  }
  const har = join(machine.home, 'client.har');
  expect((await machine.run(['replay', ofClient, '--har', har])).code).toBe(0);
  const [connection] = JSON.parse(readFileSync(har, 'utf8')).log.entries;
  expect(JSON.parse(connection._webSocketMessages[0].data)).toMatchObject({ method: 'initialize' });

  const replayed = await machine.start(['replay', ofClient, '--to', line.url, '--speed', '0', '--json'])
    .ended;
  expect(replayed.code).toBe(0);
  expect(replayed.out).toContain('"chat/turnComplete"');
  expect(replayed.out.trimEnd().split('\n').at(-1)).toContain('"skippedCount":0,"differences":[]');
  const listed = await machine.start(['sessions', '--json']).ended;
  expect(listed.out.trimEnd().split('\n')).toHaveLength(2);
  host.kill('SIGTERM');
  await host.ended;
  const both = readRecording(readFileSync(ofHost, 'utf8'));
  expect(both.filter((entry) => 'closed' in entry).length).toBeGreaterThanOrEqual(3);
});

test('a recording that cannot be written is reported once, and the command goes on', async () => {
  await machine.serve();
  const ran = await machine.start(['run', '--record', '/missing/r.ndjson', 'say hello']).ended;
  expect(ran).toMatchObject({ code: 0, out: 'hello\n' });
  expect(ran.err.match(/cannot record to/g)).toHaveLength(1);
});

test('replay says which line of a file is no recording', async () => {
  const ran = await machine.start(['replay', '/etc/passwd']).ended;
  expect(ran).toMatchObject({ code: 1, out: '' });
  expect(ran.err).toContain('line 1 is not JSON');
  const checked = await machine.run(['replay', '/etc/hostname', '--check']);
  expect(checked).toMatchObject({ code: 1, out: 'line 1: expected a JSON object\n' });
});
