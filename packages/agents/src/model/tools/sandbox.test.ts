import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findProgram } from '../../../test/model/model-chat.ts';
import { sandboxed, sandboxState } from './sandbox.ts';
import { sharedGitFolder } from './shared-git-folder.ts';

const run = promisify(execFile);
findProgram('bwrap');
const state = await sandboxState();
if (!state.works) console.warn(`skipped: no sandbox: ${state.reason}`);

let root = '';
beforeEach(() => {
  // The sandbox replaces `/tmp`.
  root = realpathSync(
    mkdtempSync(join(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), 'agenthost-sandbox-')),
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

/** Runs a command in the sandbox. Resolves with its output, errors included. */
async function inSandbox(command: string, places: { folders: string[]; hidden: string[]; git?: string[] }) {
  if (!state.works) throw new Error(state.reason);
  const at = (path: string): string => join(root, path);
  const [program, ...args] = await sandboxed(`exec 2>&1; ${command}`, {
    options: state.options,
    folders: places.folders.map(at),
    gitFolders: places.git ?? [],
    hidden: places.hidden.map(at),
  });
  return (await run(program, args, { cwd: root })).stdout;
}

test.skipIf(!state.works)('a command writes in its folders only, and hidden files are empty', async () => {
  put('data/journal.db', 'secret');
  put('data/worktrees/w/a.txt', 'in a worktree');
  put('project/data/token', 'secret');
  put('key', 'secret');
  const output = await inSandbox(
    `cat a.txt ../../journal.db ${root}/key ${root}/project/data/token; ls ${root}/data; echo x > b.txt; echo x > ${root}/project/c.txt; echo x > ${root}/d.txt; rm -r ${root}/key; true`,
    { folders: ['data/worktrees/w', 'project'], hidden: ['data', 'project/data', 'key', 'gone'] },
  );
  expect(output).not.toContain('secret');
  expect(output).toMatch(/^in a worktree/);
  expect(output).toContain('\nworktrees\n');
  expect(output).toContain('d.txt: Read-only file system');
  expect(readFileSync(join(root, 'data/worktrees/w/b.txt'), 'utf8')).toBe('x\n');
  expect(readFileSync(join(root, 'project/c.txt'), 'utf8')).toBe('x\n');
  expect(readFileSync(join(root, 'key'), 'utf8')).toBe('secret');
});

test.skipIf(!state.works)('a commit in a git worktree works, and hooks of the repository stay', async () => {
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { cwd: root });
  await git('init', '-q', 'repo');
  await git('-C', 'repo', 'commit', '-q', '--allow-empty', '-m', 'first');
  await git('-C', 'repo', 'worktree', 'add', '-q', '../tree');
  const shared = await sharedGitFolder(join(root, 'tree'));
  expect(shared).toBe(join(root, 'repo/.git'));
  const output = await inSandbox(
    `echo x > a.txt; git add a.txt; git -c user.name=A -c user.email=a@b commit -qm second; git log --format=%s; echo x > ${root}/repo/.git/hooks/pre-commit; echo x > ${root}/repo/.git/config; true`,
    { folders: ['tree'], hidden: [], git: [shared ?? ''] },
  );
  expect(output).toMatch(/^second\nfirst\n/);
  expect(output.match(/Read-only file system/g)).toHaveLength(2);
});

test('a folder that only claims to be a worktree gives no access to another folder', async () => {
  put('victim/worktrees/w/HEAD', 'x');
  put('tree/.git', `gitdir: ${root}/victim/worktrees/w\n`);
  expect(await sharedGitFolder(join(root, 'tree'))).toBeUndefined();
  put('victim/worktrees/w/gitdir', `${root}/elsewhere/.git\n`);
  expect(await sharedGitFolder(join(root, 'tree'))).toBeUndefined();
  expect(await sharedGitFolder(root)).toBeUndefined();
});
