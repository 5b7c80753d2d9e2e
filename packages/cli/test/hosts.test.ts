import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const laptop = new Machine();
const build = new Machine();
const lab = new Machine();
afterAll(() => Promise.all([laptop, build, lab].map((machine) => machine.dispose())));

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const listFile = (): string => join(laptop.home, '.config/agenthost/hosts.json');
const idOf = (session: unknown): string => String(session).slice('ahp-session:/'.length);

/** Asks an agent on a machine; the id of the new session. */
async function asked(machine: Machine, ...args: string[]): Promise<string> {
  const { code, out, err } = await machine.run(['run', '--json', ...args]);
  expect(err).toBe('');
  expect(code).toBe(0);
  return idOf(jsonLines(out)[0]?.['session']);
}

test('[AUTH-1] named hosts: their sessions are listed together and found by id, one that is down is told', async () => {
  const { line } = await build.serve();
  const { line: labLine } = await lab.serve();
  writeFileSync(join(laptop.home, 'token'), `${line.token}\n`);

  const refused = await laptop.run(['hosts', 'add', 'build', line.url]);
  expect(refused.code).toBe(4);
  expect(refused.err).toContain('set AGENTHOST_TOKEN to its token; nothing was added');
  expect(existsSync(listFile())).toBe(false);
  const added = await laptop.run(['hosts', 'add', 'build', line.url, '--token-file', 'token']);
  expect(added).toMatchObject({ code: 0, err: expect.stringMatching(/^added build, agenthost \d/) });
  expect(statSync(listFile()).mode & 0o777).toBe(0o600);
  const twice = await laptop.run(['hosts', 'add', 'build', line.url, '--token-file', 'token']);
  expect(twice).toMatchObject({ code: 1, err: expect.stringContaining('--force replaces it') });
  const piped = laptop.start(['hosts', 'add', 'lab', `${labLine.url}/`, '--token-file', '-', '--json']);
  piped.type(`${labLine.token}\n`);
  expect(jsonLines((await piped.ended).out)).toMatchObject([
    { name: 'lab', url: labLine.url, hasToken: true },
  ]);

  // No host runs here: one that has the session is found, and nothing is sent to a host that was not chosen.
  const id = await asked(laptop, '--host', 'build', '--record', 'built.ndjson', 'say built');
  expect((await build.run(['sessions', '--json'])).out).toContain(id);
  expect(await laptop.run(['run', 'hello'])).toMatchObject({
    code: 4,
    err: expect.stringContaining('choose one of yours with --host: build, lab'),
  });
  const shown = await laptop.run(['sessions', 'show', id.slice(0, 10)]);
  expect(shown).toMatchObject({ code: 0, err: 'on build\n' });
  expect(shown.out).toContain('say built');
  const examined = jsonLines((await laptop.run(['doctor', '--host', 'build', '--json'])).out);
  expect(examined.map(({ check }) => check)).toEqual(expect.arrayContaining(['database', 'clock', 'agents']));
  expect(
    await laptop.run(['conformance', '--host', 'build', '--version', '1.0.0', '--only', 'ACT-2']),
  ).toMatchObject({ code: 0, out: expect.stringContaining('passed 1.0.0 [ACT-1 ACT-2]') });
  expect(await laptop.run(['doctor', '--host', 'nobody'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('no host is called nobody'),
  });

  await laptop.serve();
  const own = await asked(laptop, 'say local');
  await laptop.run(['hosts', 'add', 'down', 'http://127.0.0.1:1', '--no-check']);
  const all = await laptop.run(['sessions']);
  expect(all.code).toBe(0);
  expect(all.out).toMatch(
    new RegExp(`^local  ${own.slice(0, 8)}  .*say local.*\nbuild  ${id.slice(0, 8)}  .*say built`),
  );
  expect(all.err).toMatch(/agenthost: down: no host answers at /);
  await laptop.run(['hosts', 'remove', 'down']);

  expect(jsonLines((await laptop.run(['sessions', '--json'])).out)).toMatchObject([
    { host: 'local', title: 'say local' },
    { host: 'build', title: 'say built' },
  ]);
  expect((await laptop.run(['sessions', '--host', 'build'])).out).toMatch(new RegExp(`^${id.slice(0, 8)} `));
  expect((await laptop.run(['sessions', '--host', 'local'])).out).toMatch(new RegExp(`^${own.slice(0, 8)} `));
  expect((await laptop.run(['sessions', '--search', 'built'])).out).toMatch(/^build  [0-9a-f]{8} /);
  expect(await laptop.run(['run', '--session', id, 'say more'])).toMatchObject({
    code: 0,
    err: expect.stringContaining('on build'),
  });
  expect(await laptop.run(['watch', 'zzzz'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no session is called zzzz'),
  });

  const states = jsonLines((await laptop.run(['hosts', 'list', '--json'])).out);
  expect(states).toMatchObject([
    { name: 'local', state: 'online', sessionCount: 1 },
    { name: 'build', state: 'online', url: line.url, sessionCount: 1, waiting: [] },
    { name: 'lab', state: 'online', sessionCount: 0 },
  ]);
  const words = await laptop.run(['completion', 'words', '--', 'run', '--host', 'b']);
  expect(words.out).toBe(`build\t${line.url}\n`);
  expect(JSON.stringify(states)).not.toContain(line.token);
  // Creates a session, so it comes last.
  expect(await laptop.run(['replay', 'built.ndjson', '--to', 'build', '--speed', '0'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('chat/turnComplete'),
  });
});

test('a list that is damaged or of a later version is told and left as it is, and the host here still works', async () => {
  const machine = new Machine();
  ends.push(() => machine.dispose());
  const add = (name: string): ReturnType<Machine['run']> =>
    machine.run(['hosts', 'add', name, 'http://127.0.0.1:1', '--no-check']);
  await Promise.all(['a', 'b', 'c', 'd'].map(add));
  const file = join(machine.home, '.config/agenthost/hosts.json');
  const names = (): string[] =>
    JSON.parse(readFileSync(file, 'utf8')).hosts.map(({ name }: { name: string }) => name);
  expect(names().toSorted(), 'commands at the same time lose nothing').toEqual(['a', 'b', 'c', 'd']);
  expect((await machine.run(['hosts', 'remove', 'a', 'zzz'])).code).toBe(1);
  expect((await machine.run(['hosts', 'rm', 'a', 'b', 'c'])).code).toBe(0);
  expect(names()).toEqual(['d']);
  await machine.serve();
  for (const [text, told] of [
    ['{"format":1,"hosts":[', 'hosts.json is damaged (no JSON)'],
    ['{"format":1,"hosts":[{"name":"x"}]}', 'the host at position 1 has no valid name'],
    ['{"format":2,"hosts":{}}', 'was written by a later version'],
  ] as const) {
    writeFileSync(file, text);
    expect(await add('e')).toMatchObject({ code: 1, err: expect.stringContaining(told) });
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(await machine.run(['sessions'])).toMatchObject({ code: 0, err: expect.stringContaining(told) });
    expect((await machine.run(['sessions', '--host', 'x'])).code).toBe(1);
  }
  rmSync(file);
});
