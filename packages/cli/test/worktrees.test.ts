import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type AhpClient, connect } from '@agenthost/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const machine = new Machine();
const tree = join(machine.home, 'shop');
let client: AhpClient;

beforeAll(async () => {
  mkdirSync(join(tree, '.agenthost'), { recursive: true });
  git(tree, 'init', '-q', '-b', 'main');
  git(tree, 'config', 'user.name', 'A');
  git(tree, 'config', 'user.email', 'a@example.org');
  writeFileSync(join(tree, '.agenthost', 'worktree.json'), JSON.stringify({ setup: 'echo made > .made' }));
  writeFileSync(join(tree, '.gitignore'), '.made\n');
  git(tree, 'add', '.');
  git(tree, 'commit', '-qm', 'first');
  const { line } = await machine.serve();
  client = await connect(line.wsUrl, { token: line.token });
}, 120_000);
afterAll(async () => {
  client?.close();
  await machine.dispose();
});

function git(cwd: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: machine.home, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { cwd, encoding: 'utf8', env }).trim();
}

/** Lets the demo agent write `hello.txt` in a worktree, after its setup. Waits without a time limit. Resolves with the id of the session. */
async function sessionWithFile(): Promise<string> {
  const handle = await client.sessions.create({
    workingDirectories: [pathToFileURL(tree).href],
    config: { isolation: 'worktree', approvals: 'all' },
  });
  const asked = new Promise<void>((resolve) => {
    const stop = handle.mirror.onChange(() => {
      const [setup] = handle.toolConfirmations();
      if (setup === undefined) return;
      stop();
      void setup.approve({ optionId: 'run' }).then(() => resolve());
    });
  });
  const prompt = handle.prompt('write hello.txt Hello');
  await asked;
  expect(await prompt.result).toMatchObject({ state: 'complete' });
  return handle.uri.replace('ahp-session:/', '');
}

const worktrees = (...args: string[]) => machine.run(['worktrees', ...args]);

test('agenthost worktrees lists, merges and removes the worktree of a session, and names one that holds work', async () => {
  expect(await worktrees()).toMatchObject({ code: 0, out: '', err: 'no session has a worktree\n' });
  const session = await sessionWithFile();
  const [listed] = jsonLines((await worktrees('--json')).out);
  expect(listed).toMatchObject({ state: 'ready', base: 'main', ahead: 0, holds: '1 uncommitted file' });
  const folder = fileURLToPath(String(listed?.['uri']));
  // The setup command ran there, and the checkout is as before.
  expect([existsSync(join(folder, '.made')), existsSync(join(folder, 'hello.txt'))]).toEqual([true, true]);
  expect([existsSync(join(tree, '.made')), git(tree, 'status', '--porcelain')]).toEqual([false, '']);
  const id = String(listed?.['id']).slice(0, 8);
  expect((await worktrees()).out).toMatch(
    new RegExp(
      `^${id} +\\d+ s  ${session.slice(0, 8)}  agenthost/write-hello-txt-hello  main \\+0 -0  1 file changed  `,
    ),
  );
  expect(await worktrees('merge', session)).toMatchObject({
    code: 1,
    err: expect.stringContaining('1 uncommitted file: commit first'),
  });
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'hello');
  expect((await worktrees('merge', session.slice(0, 6))).out).toContain(
    'Merged 1 commit of agenthost/write-hello-txt-hello into main',
  );
  expect(existsSync(join(tree, 'hello.txt'))).toBe(true);
  appendFileSync(join(folder, 'hello.txt'), 'more\n');
  const removed = await machine.run(['sessions', 'rm', '--yes', session]);
  expect(removed.err).toContain(
    `holds 1 uncommitted file and stays: \`agenthost worktrees remove ${id}\` removes it`,
  );
  expect(await worktrees('remove', 'none')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no worktree is called none'),
  });
  expect(await worktrees('remove', id)).toMatchObject({
    code: 1,
    err: expect.stringContaining('holds 1 uncommitted file'),
  });
  expect(await worktrees('remove', id, '--discard')).toMatchObject({ code: 0, out: `Removed ${folder}\n` });
  expect(existsSync(folder)).toBe(false);
  expect(git(tree, 'branch', '--list', 'agenthost/*')).toBe('');
}, 120_000);

test('a session outside of git gets no worktree, and says why', async () => {
  const ran = await machine.run(['run', '--config', 'isolation=worktree', '--cwd', machine.home, 'say hi']);
  expect(ran.code).not.toBe(0);
  expect(ran.err).toContain('is not in the working tree of a git repository');
}, 60_000);
