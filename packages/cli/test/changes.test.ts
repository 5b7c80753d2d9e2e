import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const machine = new Machine();
const folder = join(machine.home, 'proj');
const original = join(machine.home, 'original');
const remote = join(machine.home, 'remote.git');
const LIST = Array.from({ length: 20 }, (_, index) => `item ${index + 1}\n`).join('');

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd, encoding: 'utf8', env: { ...machine.environment } });
const at = (name: string): string => readFileSync(join(folder, name), 'utf8');
/** Runs the program, which must succeed. Resolves with its output. */
const ok = async (...args: string[]): Promise<string> => {
  const { code, out, err } = await machine.run(args);
  expect([args, code, err]).toEqual([args, 0, expect.any(String)]);
  return out;
};
const refused = async (...args: string[]) => {
  const { code, err } = await machine.run(args);
  return [code, err.split('\n').findLast((line) => line.startsWith('agenthost: '))];
};

beforeAll(async () => {
  writeFileSync(
    join(machine.home, '.gitconfig'),
    '[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n',
  );
  mkdirSync(folder);
  writeFileSync(join(folder, 'list.txt'), LIST);
  writeFileSync(join(folder, 'data.bin'), Buffer.from([0, 1, 2]));
  cpSync(folder, original, { recursive: true });
  git(machine.home, 'init', '-q', '--bare', remote);
  git(folder, 'init', '-q');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'start');
  git(folder, 'remote', 'add', 'origin', remote);
  git(folder, 'push', '-q', '-u', 'origin', 'main');
  await machine.serve();
}, 60_000);
afterAll(() => machine.dispose());

/** A session whose agent changes three files, two of them by a shell command, as soon as the host has recorded how they were before. */
async function changedSession(): Promise<string> {
  const go = join(machine.home, `go-${randomUUID()}`);
  const shell =
    "run sed -i -e 's/item 2$/second/' -e 's/item 18$/eighteenth/' list.txt; printf 'a\\000b' > data.bin";
  const prompt = [`run until [ -e ${go} ]; do sleep 0.1; done`, 'write notes.txt Hello', shell].join('\n');
  const running = machine.start(['run', '--json', '--cwd', folder, '--config', 'approvals=all', prompt]);
  running.endInput();
  await running.until('Run `until [ -e');
  const session = String(jsonLines(running.out.slice(0, running.out.indexOf('\n')))[0]?.['session']);
  const id = session.replace('ahp-session:/', '');
  // The changes of a running turn are known when its start is recorded; the host offers them soon after the first turn has begun.
  while ((await machine.run(['changes', id])).code !== 0);
  writeFileSync(go, '');
  expect((await running.ended).code).toBe(0);
  return id;
}

describe('the changes of a session', () => {
  test('[CS-1] [CS-4] [ANN-1] are shown, commented on, fixed, reverted in part, restored, committed and pushed', async () => {
    const session = await changedSession();
    expect(await ok('changes', session)).toBe(
      'M  data.bin   binary\nM  list.txt   +2 -2\nA  notes.txt  +1 -0\n',
    );
    expect(await ok('changes', session, '--name-only')).toBe('data.bin\nlist.txt\nnotes.txt\n');
    const patch = await machine.run(['changes', session, '--patch']);
    writeFileSync(join(machine.home, 'patch'), patch.out);
    git(original, 'apply', join(machine.home, 'patch'));
    for (const name of ['data.bin', 'list.txt', 'notes.txt'])
      expect(readFileSync(join(original, name)), name).toEqual(readFileSync(join(folder, name)));
    const [shown] = jsonLines(await ok('changes', session, '--turn', 'last', '--json'));
    expect(shown).toMatchObject({ type: 'changes', status: 'ready', files: [{}, {}, {}] });
    const turn = String(shown?.['changeset']).replace(/^.*\//, '');
    expect(patch.err).not.toContain('left out');
    writeFileSync(join(folder, 'film.mp4'), '');
    truncateSync(join(folder, 'film.mp4'), 10 * 1024 * 1024 + 1);
    const uncommitted = await machine.run(['changes', session, '--uncommitted']);
    expect(uncommitted.err).toContain('left out: film.mp4 (over 10 MB)\n');
    expect((await machine.run(['git', 'status', session])).err).toContain(
      'left out: film.mp4 (over 10 MB)\n',
    );
    rmSync(join(folder, 'film.mp4'));

    await ok('comment', session, 'proj/list.txt:18', 'this must stay the last line');
    const go = join(machine.home, 'go');
    const watch = machine.start(['watch', session, '--json', '--turns', '0']);
    const fix = `run until [ -e ${go} ]; do sleep 0.1; done\nedit list.txt the end`;
    await ok('comment', 'send', session, '--text', fix);
    await watch.until('Run `until [ -e');
    await ok('changes', session, '--turn', 'last');
    writeFileSync(go, '');
    await watch.until('`list.txt` is written');
    watch.kill('SIGINT');
    await watch.ended;
    expect(await ok('changes', session, '--turn', 'last')).toBe('M  list.txt  +1 -0\n');
    expect(at('list.txt')).toMatch(/\nthe end\n$/);

    const [before, hunk] = [at('list.txt'), at('list.txt').replace('eighteenth', 'item 18')];
    expect(await ok('revert', session, 'proj/list.txt', '--lines', '17-19')).toBe('1 file changed on disk\n');
    expect(at('list.txt')).toBe(hunk);
    await ok('revert', session, '--undo');
    expect(at('list.txt')).toBe(before);

    await ok('restore', session, '--turn', turn.slice(0, 12));
    expect(at('list.txt')).toBe(before.replace('the end\n', ''));
    await ok('restore', session, '--turn', turn, '--undo');
    expect(at('list.txt')).toBe(before);

    expect(await ok('changes', session, '--uncommitted')).toContain('M  list.txt   +3 -2\n');
    await ok('git', 'stage', session, 'proj/notes.txt');
    expect(await ok('git', 'status', session)).toContain('A  notes.txt  +1 -0  staged\n');
    await ok('commit', session, '-m', 'Notes only');
    await ok('git', 'stage', session, 'proj/data.bin');
    expect(await ok('commit', session, '--amend')).toMatch(/^Amended the last commit: .* 2 files\n$/);
    await ok('commit', session, '-m', 'The rest', '--push');
    expect(git(remote, 'log', '--format=%s', 'main')).toBe('The rest\nNotes only\nstart\n');
    expect(git(folder, 'status', '--porcelain')).toBe('');
    expect(await ok('git', 'status', session)).toBe('on main, follows origin/main\n');
  }, 600_000);

  test('[CS-4] a mistake changes nothing, and says what is wrong', async () => {
    const session = await changedSession();
    const texts = ['list.txt', 'notes.txt'].map(at);
    expect(await refused('revert', session, 'nofile')).toEqual([
      2,
      'agenthost: nofile: this file has not changed',
    ]);
    expect(await refused('revert', session, '--lines', '2')).toEqual([2, 'agenthost: --lines needs a file']);
    expect(await refused('revert', session, 'proj/list.txt', '--lines', '9-2')).toEqual([
      2,
      'agenthost: --lines: line 9 is after line 2',
    ]);
    expect(await refused('changes', session, '--turn', 'zz')).toEqual([
      1,
      expect.stringMatching(/^agenthost: no turn is called zz; the last ones are [0-9a-f]{8} \(run until/),
    ]);
    expect(await refused('changes', session, '--branch', '--uncommitted')).toEqual([
      2,
      'agenthost: expected one of --turn or --chat, --branch, and --uncommitted',
    ]);
    expect(await refused('revert', session, '--undo')).toEqual([
      1,
      'agenthost: there is no revert to undo here',
    ]);
    expect(await refused('commit', session, '-m', ' ')).toEqual([
      2,
      'agenthost: the commit message is empty',
    ]);
    expect(await refused('git', 'push', session)).toEqual([
      1,
      'agenthost: nothing to push: origin/main has all commits of main',
    ]);
    expect(await refused('git', 'stash-pop', session)).toEqual([1, 'agenthost: the stash is empty']);
    expect(['list.txt', 'notes.txt'].map(at)).toEqual(texts);
  }, 300_000);
});
