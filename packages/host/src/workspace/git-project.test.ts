import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SimulatedClock } from '@agenthost/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemTimers } from '../lib/clock.ts';
import { findProject } from './git-project.ts';

let base = '';

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-project-')));
});

afterEach(() => rmSync(base, { recursive: true }));

function git(cwd: string, ...args: string[]): void {
  const identity = [
    '-c',
    'user.name=t',
    '-c',
    'user.email=t@example.org',
    '-c',
    'protocol.file.allow=always',
  ];
  execFileSync('git', [...identity, ...args], { cwd, stdio: 'pipe' });
}

function repository(name: string): string {
  const folder = join(base, name);
  mkdirSync(folder);
  git(folder, 'init', '--quiet');
  git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  return folder;
}

const found = (folder: string) => findProject(folder, systemTimers);
const project = (folder: string) => ({ uri: pathToFileURL(folder).href, displayName: basename(folder) });

test('[SESS-1] a folder in a repository has the repository as its project, through links too', async () => {
  const root = repository('a project');
  const deep = join(root, 'src', 'deep');
  mkdirSync(deep, { recursive: true });
  symlinkSync(deep, join(base, 'link'));
  expect(await found(root)).toEqual(project(root));
  expect(await found(deep)).toEqual(project(root));
  expect(await found(join(base, 'link'))).toEqual(project(root));
});

test('[SESS-1] a linked worktree belongs to the repository that it was made from', async () => {
  const root = repository('main-tree');
  const tree = join(base, 'other-tree');
  git(root, 'worktree', 'add', '--quiet', tree);
  mkdirSync(join(tree, 'sub'));
  expect(await found(join(tree, 'sub'))).toEqual(project(root));
});

test('[SESS-1] a worktree of a bare repository belongs to that repository', async () => {
  const root = repository('source');
  git(base, 'clone', '--quiet', '--bare', root, 'bare.git');
  git(join(base, 'bare.git'), 'worktree', 'add', '--quiet', join(base, 'tree'));
  expect(await found(join(base, 'tree'))).toEqual(project(join(base, 'bare.git')));
});

test('[SESS-1] a submodule is a project of its own', async () => {
  const inner = repository('inner');
  const outer = repository('outer');
  git(outer, 'submodule', '--quiet', 'add', inner, 'vendored');
  expect(await found(join(outer, 'vendored'))).toEqual(project(join(outer, 'vendored')));
  expect(await found(outer)).toEqual(project(outer));
});

test('[SESS-1] there is no project outside of repositories, nor where .git is something else', async () => {
  expect(await found(base)).toBeUndefined();
  expect(await found(join(base, 'missing'))).toBeUndefined();
  mkdirSync(join(base, 'empty', '.git'), { recursive: true });
  expect(await found(join(base, 'empty'))).toBeUndefined();
  mkdirSync(join(base, 'lost'));
  writeFileSync(join(base, 'lost', '.git'), 'gitdir: /nowhere/at/all\n');
  expect(await found(join(base, 'lost'))).toBeUndefined();
  writeFileSync(join(base, 'lost', '.git'), 'no pointer');
  expect(await found(join(base, 'lost'))).toBeUndefined();
});

test('[SESS-1] a caller waits for the project for at most a second', async () => {
  const clock = new SimulatedClock();
  const finding = findProject(repository('slow'), clock.scope());
  clock.fireNext();
  expect(await finding).toBeUndefined();
});
