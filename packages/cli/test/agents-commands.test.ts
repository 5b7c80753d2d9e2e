import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

let machine: Machine;
/** The machine has its own folder for temporary files: other programs change the common one at any time. */
let temporary: string;
beforeAll(async () => {
  temporary = mkdtempSync(join(tmpdir(), 'agenthost-cli-tmp-'));
  machine = new Machine({ TMPDIR: temporary });
  const folder = join(machine.home, 'broken');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"name":"broken","version":"3.0.0","type":"module"}');
  writeFileSync(join(folder, 'index.js'), 'throw new Error("no licence")');
  const config = {
    agents: {
      broken: { package: folder },
      mine: { command: process.execPath, signIn: 'echo "token is [$AGENTHOST_TOKEN]"; exit 3' },
      plain: { command: process.execPath },
      api: { kind: 'model', api: 'openai', baseUrl: 'http://127.0.0.1:9/v1', models: ['x'] },
    },
    defaultAgent: 'demo',
  };
  mkdirSync(join(machine.home, '.config/agenthost'), { recursive: true });
  writeFileSync(join(machine.home, '.config/agenthost/agenthost.json'), JSON.stringify(config));
  await machine.serve();
});
afterAll(async () => {
  await machine.dispose();
  rmSync(temporary, { recursive: true, force: true });
});

const left = async () => ({
  sessions: (await machine.run(['sessions', '--json'])).out,
  folders: readdirSync(temporary).filter((name) => name.startsWith('agenthost-test-')),
});

describe('agents test', () => {
  test('runs a turn and removes the session and its folder', async () => {
    const before = await left();
    const { code, out } = await machine.run(['agents', 'test', 'demo']);
    expect(code).toBe(0);
    expect(out).toMatch(/^✓ demo answered after [\d.]+ s: hello in one short sentence/);
    const json = await machine.run(['agents', 'test', 'demo', '--json', '--model', 'demo-fast']);
    expect(jsonLines(json.out)).toEqual([
      expect.objectContaining({ agent: 'demo', isWorking: true, state: 'complete' }),
    ]);
    expect(await left()).toEqual(before);
  });

  test('says why an agent does not answer, and leaves nothing', async () => {
    const before = await left();
    const { code, out, err } = await machine.run(['agents', 'test', 'broken']);
    expect(code).toBe(1);
    expect(`${out}${err}`).toContain('failed: no licence');
    expect((await machine.run(['agents', 'test', 'nobody'])).code).toBe(1);
    expect(await left()).toEqual(before);
  });
});

describe('agents', () => {
  test('shows a package that failed in the host, with its version and the reason', async () => {
    await machine.run(['agents', 'test', 'broken']);
    const { out } = await machine.run(['agents']);
    expect(out).toMatch(
      /^! broken +broken 3\.0\.0 +The package .*broken failed: no licence\. Restart the host after a fix/m,
    );
  });
});

describe('login', () => {
  test('runs the command of the agent in this terminal, without the token of the host', async () => {
    expect(await machine.run(['login', 'mine'])).toMatchObject({ code: 3, out: 'token is []\n' });
    expect((await machine.run(['login', '--print', 'mine'])).out).toBe(
      'echo "token is [$AGENTHOST_TOKEN]"; exit 3\n',
    );
  });

  test('of an agent over a model API is its key', async () => {
    expect((await machine.run(['login', '--print', 'api'])).out).toMatch(/ agents key api\n$/);
  });

  test.each([
    ['nobody', 2, 'no agent nobody; expected one of'],
    ['plain', 1, 'plain has no command that signs in'],
    ['qwen', 1, 'qwen is not installed: no command qwen'],
  ])('of %s is refused with the reason', async (id, code, reason) => {
    const refused = await machine.run(['login', id]);
    expect(refused.code).toBe(code);
    expect(refused.err).toContain(reason);
  });
});
