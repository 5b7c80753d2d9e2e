import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Machine } from './cli-process.ts';

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.dispose());

test('conformance plays rules against a host, as text, JSON and JUnit, and removes its sessions', async () => {
  const { line } = await machine.serve();
  const junit = join(machine.home, 'report.xml');
  const chosen = ['--version', '1.0.0', '--version', '0.5.2', '--only', 'ACT-2'];
  const ran = await machine.start([
    'conformance',
    line.url,
    ...chosen,
    '--junit',
    junit,
    '--report',
    'for/others',
  ]).ended;
  expect(ran.out).toContain('passed 1.0.0 [ACT-1 ACT-2] an action reaches every subscriber under one number');
  expect(ran.out).toContain('passed 0.5.2 [ACT-1 ACT-2]');
  expect(readFileSync(junit, 'utf8').match(/<testsuite /g)).toHaveLength(2);
  const others = join(machine.home, 'for/others');
  expect(JSON.parse(readFileSync(join(others, 'summary.json'), 'utf8'))).toMatchObject({
    subject: 'host',
    program: expect.stringMatching(/^agenthost \d/),
    verdict: 'passed',
    versions: [
      { version: '1.0.0', failed: 0 },
      { version: '0.5.2', failed: 0 },
    ],
    rules: { '0.5.2': { 'ACT-2': 'passed' } },
  });
  expect(readFileSync(join(others, 'badge.svg'), 'utf8')).toMatch(
    /aria-label="AHP host 0\.5\.2–1\.0\.0: \d+ passed"/,
  );
  const json = await machine.start(['conformance', '--version', '0.5.2', '--only', 'ACT-2', '--json']).ended;
  expect(json.code).toBe(0);
  const [first] = json.out.split('\n');
  expect(JSON.parse(first ?? '')).toMatchObject({
    type: 'result',
    verdict: 'passed',
    rules: [{ id: 'ACT-1', sentence: expect.stringContaining('Only actions change state') }, { id: 'ACT-2' }],
  });
  expect((await machine.start(['sessions', '--json']).ended).out).toBe('');
});

test('conformance against nothing says that there is no connection', async () => {
  const ran = await machine.start(['conformance', 'ws://127.0.0.1:9']).ended;
  expect(ran.code).toBe(4);
  expect(ran.err).toContain('cannot connect to ws://127.0.0.1:9');
  const variable = { AGENTHOST_URL: 'ws://127.0.0.1:9' };
  expect((await machine.start(['conformance'], variable).ended).err).toContain('ws://127.0.0.1:9');
  const twice = ['conformance', 'ws://127.0.0.1:9', '--url', 'ws://127.0.0.1:9'];
  expect((await machine.start(twice).ended).err).toContain('the address was given twice');
});

test('conformance with a wrong token says what the host answered', async () => {
  const { line } = await machine.serve();
  const ran = await machine.start(['conformance', line.url, '--token', 'wrong']).ended;
  expect(ran.code).toBe(4);
  expect(ran.err).toMatch(/cannot connect to .*: it answered with status 401: .*token/);
});

test.each([
  [['--only', 'NOPE-99'], 'no check is of the rule NOPE-99'],
  [['--version', 'abc'], 'expected a version such as 1.0.0, got abc'],
  [['--schemas', '/nonexistent'], '--schemas: no folder /nonexistent'],
])('conformance %j is a wrong use', async (given, told) => {
  const ran = await machine.start(['conformance', 'ws://127.0.0.1:9', ...given]).ended;
  expect(ran.code).toBe(2);
  expect(ran.err).toContain(told);
});

test('conformance fails when the host speaks none of the versions', async () => {
  await machine.serve();
  const ran = await machine.start(['conformance', '--version', '0.3.0']).ended;
  expect(ran.code).toBe(1);
  expect(ran.err).toContain('the host speaks none of the versions');
});

test('conformance --client checks our own client: it answers, counts and comes back after a lost connection', async () => {
  const checking = machine.start([
    'conformance',
    '--client',
    '--port',
    '0',
    '--json',
    '--patience',
    '2',
    '--report',
    '.',
  ]);
  await checking.until('"listening"');
  const { url, token } = JSON.parse(checking.out) as { url: string; token: string };
  const client = new Machine({ AGENTHOST_TOKEN: token });
  try {
    const ran = await client.start(['run', '--url', url, 'wait 5000\nsay back']).ended;
    expect(ran).toMatchObject({ code: 0, out: 'back\n' });
  } finally {
    await client.dispose();
  }
  const { code, out } = await checking.ended;
  expect(JSON.parse(readFileSync(join(machine.home, 'summary.json'), 'utf8'))).toMatchObject({
    subject: 'client',
    program: expect.stringMatching(/^agenthost-cli \d/),
    verdict: 'passed',
  });
  const results = out
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((text) => JSON.parse(text));
  expect(results.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  expect(results.length).toBeGreaterThan(7);
  expect(code).toBe(0);
});
