import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@agenthost/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const sessionsOf = (out: string) => (out === '' ? [] : jsonLines(out));

const machine = new Machine();
let wsUrl = '';
let token = '';
beforeAll(async () => {
  const { line } = await machine.serve('--set', 'maxTerminals=7');
  wsUrl = line.wsUrl;
  token = line.token;
});
afterAll(() => machine.dispose());

describe('agenthost config', () => {
  test('lists settings with values, titles, choices and fixed ones', async () => {
    const { code, out } = await machine.run(['config']);
    expect(code).toBe(0);
    expect(out).toMatch(/^defaultAgent +demo +Default agent \(demo\)$/m);
    expect(out).toMatch(/^approvals +ask +Approvals \(ask, edits, all, none\)$/m);
    expect(out, 'an empty list is its default').toMatch(/^pageHosts +\[\] +Other hosts of the web page$/m);
    expect(out).toMatch(/^maxTerminals +7 +Terminals \(fixed at the start of the host\)$/m);
    const [values] = jsonLines((await machine.run(['config', '--json'])).out);
    expect(values).toMatchObject({ approvals: 'ask', maxTerminals: 7, replayWindowHours: 24 });
  });

  test('[ROOT-5] sets a value live on all clients, and refuses invalid ones', async () => {
    const client = await connect(wsUrl, { token });
    const root = await client.subscribe('ahp-root://');
    const changed = new Promise<void>((resolve) => {
      root.onChange(() => {
        if (root.state.config?.values['agentIdleMinutes'] === 4) resolve();
      });
    });
    const set = await machine.run(['config', 'set', 'agentIdleMinutes', '4']);
    expect(set).toMatchObject({ code: 0, out: 'agentIdleMinutes is 4 now\n' });
    await changed;
    client.close();
    expect((await machine.run(['config', 'get', 'agentIdleMinutes'])).out).toBe('4\n');
    const json = await machine.run(['config', 'set', 'approvals', 'edits', '--json']);
    expect(jsonLines(json.out)).toEqual([{ approvals: 'edits' }]);
    expect((await machine.run(['config', 'get', '--json', 'approvals'])).out).toBe('{"approvals":"edits"}\n');
    expect(await machine.run(['config', 'set', 'approvals', 'maybe'])).toMatchObject({
      code: 2,
      err: 'agenthost: approvals: expected one of ask, edits, all, none, got maybe\n',
    });
    expect(await machine.run(['config', 'set', 'agentIdleMinutes', 'few'])).toMatchObject({
      code: 2,
      err: 'agenthost: agentIdleMinutes: expected a number, got few\n',
    });
    expect(await machine.run(['config', 'set', 'maxTerminals', '3'])).toMatchObject({
      code: 1,
      err: 'agenthost: maxTerminals: fixed when the host was started\n',
    });
    const unknown = await machine.run(['config', 'get', 'colour']);
    expect(unknown.code).toBe(2);
    expect(unknown.err).toMatch(
      /^agenthost: colour: unknown setting; expected one of defaultAgent, approvals/,
    );
    expect((await machine.run(['config'])).out).toMatch(
      /^approvals +edits +Approvals \(ask, edits, all, none; changed; the default is ask\)$/m,
    );
    expect(await machine.run(['config', 'unset', 'approvals'])).toMatchObject({
      code: 0,
      out: 'approvals is ask now, its default\n',
    });
    expect((await machine.run(['config'])).out).toMatch(
      /^approvals +ask +Approvals \(ask, edits, all, none\)$/m,
    );
    expect(await machine.run(['config', 'unset', 'maxTerminals'])).toMatchObject({
      code: 1,
      err: 'agenthost: maxTerminals: fixed when the host was started\n',
    });
    expect((await machine.run(['config', 'unset', 'colour'])).err).toMatch(
      /^agenthost: colour: unknown setting; expected one of/,
    );
  });
});

test('at the limit of terminals the error says how to make room', async () => {
  const client = await connect(wsUrl, { token });
  const terminals = await Promise.all(
    Array.from({ length: 7 }, () => client.createTerminal({ command: ['cat'] })),
  );
  expect(await machine.run(['term', 'new', '--detach'])).toMatchObject({
    code: 1,
    err: 'agenthost: no terminal: the host has 7 terminals, the maximum: `agenthost term list` lists them, `agenthost term kill` ends one\n',
  });
  await Promise.all(terminals.map((terminal) => terminal.dispose()));
  client.close();
});

test('serve reports an invalid fixed value', async () => {
  const { code, err } = await machine.run(['serve', '--port', '0', '--data', 'x', '--set', 'maxTerminals=0']);
  expect(code).toBe(2);
  expect(err).toContain('maxTerminals: expected a whole number from 1 to 1024');
  expect((await machine.run(['serve', '--set', 'maxTerminals'])).err).toContain('--set: expected key=value');
});

test.each([
  ['nope=1', /^agenthost: nope: unknown setting; expected one of defaultAgent, approvals, .*maxTerminals/],
  ['toString=1', /^agenthost: toString: unknown setting; expected one of defaultAgent/],
  ['maxTerminals=few', /^agenthost: maxTerminals: expected a number, got few\n$/],
])('serve --set %s is refused as by config set, and makes nothing', async (setting, message) => {
  const data = join(machine.home, 'never');
  const { code, err } = await machine.run(['serve', '--port', '0', '--data', data, '--set', setting]);
  expect(code).toBe(2);
  expect(err).toMatch(message);
  expect(existsSync(data)).toBe(false);
});

describe('agenthost run with config, and agenthost sessions by metadata', () => {
  test('gives a session metadata, instructions and config, and finds it by the metadata', async () => {
    writeFileSync(join(machine.home, 'rules.md'), 'Be brief.\n');
    const first = ['--meta', 'ticket=7', '--meta', 'team=red', '--instructions', '@rules.md'];
    const ran = await machine.run(['run', '--json', ...first, '--config', 'nickname=Ada', 'hello']);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('**This is the demo agent**, Ada');
    expect(
      jsonLines(ran.out)
        .map((event) => JSON.stringify(event))
        .join(''),
    ).toContain('Be brief.');
    expect((await machine.run(['run', '--meta', 'team=red', 'say two'])).code).toBe(0);
    expect((await machine.run(['run', 'say three'])).code).toBe(0);
    const titles = async (...args: string[]) =>
      sessionsOf((await machine.run(['sessions', '--json', ...args])).out).map(({ title }) => title);
    expect(await titles('--meta', 'team=red')).toEqual(['say two', 'hello']);
    expect(await titles('--meta', 'team=red', '--meta', 'ticket=7')).toEqual(['hello']);
    expect(await titles('--meta', 'team=blue')).toEqual([]);
    expect(await titles('--meta', 'toString=7')).toEqual([]);
    const [listed] = jsonLines((await machine.run(['sessions', '--json', '--meta', 'ticket=7'])).out);
    expect(listed?.['_meta']).toEqual({ metadata: { ticket: '7', team: 'red' } });
    const shown = await machine.run(['sessions', 'show', String(listed?.['resource'])]);
    expect(shown.out).toMatch(/^meta {6}ticket=7 team=red$/m);
  });

  test('refuses invalid values before it creates a session', async () => {
    const count = jsonLines((await machine.run(['sessions', '--json'])).out).length;
    const refused = (...args: string[]) => machine.run(['run', ...args, 'say no']);
    expect(await refused('--config', 'askBeforeWriting=maybe')).toMatchObject({
      code: 2,
      err: 'agenthost: askBeforeWriting: expected true or false, got maybe\n',
    });
    expect((await refused('--config', 'colour=red')).err).toMatch(
      /^agenthost: colour: unknown setting; expected one of/,
    );
    expect(await refused('--config', 'approvals=maybe')).toMatchObject({
      code: 2,
      err: 'agenthost: approvals: expected one of ask, edits, all, none, got maybe\n',
    });
    expect((await refused('--meta', 'nothing')).err).toContain('--meta: expected key=value, got nothing');
    const missing = await refused('--instructions', '@missing.md');
    expect(missing.code).toBe(2);
    expect(missing.err).toMatch(
      /^agenthost: --instructions: \S+missing\.md cannot be read: the file does not exist\n$/,
    );
    expect(jsonLines((await machine.run(['sessions', '--json'])).out)).toHaveLength(count);
  });

  test('hides archived sessions by default', async () => {
    const list = async (...args: string[]) =>
      sessionsOf((await machine.run(['sessions', '--json', ...args])).out);
    const [last] = await list();
    const id = String(last?.['resource']);
    const before = (await list()).length;
    expect((await machine.run(['sessions', 'archive', id])).out).toMatch(
      /^archived [0-9a-f]{8} {2}say three\n$/,
    );
    expect(await list()).toHaveLength(before - 1);
    expect(await list('--archived')).toHaveLength(before);
    expect(await machine.run(['sessions', 'archive', id])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^[0-9a-f]{8} {2}say three: archived already\n$/),
    });
    expect((await machine.run(['sessions', 'unarchive', id])).code).toBe(0);
    expect(await list()).toHaveLength(before);
  });

  test('shows the project of a session that works in a repository', async () => {
    const folder = join(machine.home, 'repo', 'src');
    mkdirSync(folder, { recursive: true });
    execFileSync('git', ['init', '--quiet'], { cwd: join(machine.home, 'repo') });
    expect((await machine.run(['run', '--cwd', folder, 'say here'])).code).toBe(0);
    const { out } = await machine.run(['sessions', '--limit', '1']);
    expect(out).toMatch(/say here {2}~\/repo\/src \(repo\)\n$/);
  });
});
