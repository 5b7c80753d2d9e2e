import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Git } from './git.ts';
import { findRepository, type Repository } from './repository.ts';
import { addWorktree, freeBranchName, listWorktrees, removeWorktree, slugOf } from './worktree.ts';
import { findBase, freshen, WorktreeRefusal } from './worktree-base.ts';
import { mergeInto } from './worktree-merge.ts';
import { workIn, worktreeStateOf } from './worktree-state.ts';

/** A folder with repositories, without any configuration of the user. */
class Repositories {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), 'worktree-')));
  readonly git: Git;

  constructor() {
    onTestFinished(() => rmSync(this.path, { recursive: true, force: true }));
    this.git = this.gitWith('git');
  }

  gitWith(program: string): Git {
    return new Git({
      program,
      env: { PATH: process.env['PATH'], HOME: this.path, XDG_CONFIG_HOME: this.path },
    });
  }

  run(folder: string, ...args: string[]): string {
    return execFileSync('git', args, {
      cwd: join(this.path, folder),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: this.path,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_ALLOW_PROTOCOL: 'file',
      },
    }).trim();
  }

  make(folder: string): void {
    mkdirSync(join(this.path, folder), { recursive: true });
    this.run(folder, 'init', '-q', '-b', 'main');
    this.identify(folder);
    this.commit(folder, 'a.txt', 'one\n');
  }

  identify(folder: string): void {
    this.run(folder, 'config', 'user.name', 'A');
    this.run(folder, 'config', 'user.email', 'a@example.org');
  }

  clone(from: string, to: string): void {
    this.run('.', 'clone', '-q', from, to);
    this.identify(to);
  }

  commit(folder: string, name: string, text: string): string {
    const path = join(this.path, folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    this.run(folder, 'add', '.');
    this.run(folder, 'commit', '-qm', `change ${name}`);
    return this.run(folder, 'rev-parse', 'HEAD');
  }

  async repository(folder: string): Promise<Repository> {
    const found = await findRepository(join(this.path, folder));
    if (found === undefined) throw new Error(`no repository ${folder}`);
    return found;
  }

  /** Makes a worktree of `folder` in `to`. */
  async add(folder: string, to: string, { branch = 'side', git = this.git } = {}): Promise<string> {
    const repository = await this.repository(folder);
    const { commit } = await findBase(this.git, repository, '');
    const path = join(this.path, to);
    await addWorktree(git, repository, { path, branch, commit });
    return path;
  }

  async state(folder: string, path: string) {
    const repository = await this.repository(folder);
    const base = await findBase(this.git, repository, 'main');
    const { commonDir } = repository;
    const state = await worktreeStateOf(this.git, { path, commonDir, base, links: [] });
    if (state === undefined) throw new Error(`no worktree ${path}`);
    return state;
  }
}

describe('the base of a worktree', () => {
  it('is fetched, and its remote counts if the branch has no commits of its own', async () => {
    const all = new Repositories();
    all.make('origin');
    all.clone('origin', 'work');
    const commit = all.commit('origin', 'b.txt', 'b\n');
    const work = await all.repository('work');
    const base = await findBase(all.git, work, '');
    expect(base.commit).not.toBe(commit);
    const fresh = await freshen(all.git, work, base);
    expect(fresh).toMatchObject({ kind: 'branch', name: 'main', upstream: 'origin/main', commit });
    expect(fresh).not.toHaveProperty('note');
    // The branch itself is the user's.
    expect(all.run('work', 'rev-parse', 'main')).toBe(base.commit);
    expect(existsSync(join(all.path, 'work', '.git', 'FETCH_HEAD'))).toBe(false);
    const remote = await freshen(all.git, work, await findBase(all.git, work, 'origin/main'));
    expect(remote).toMatchObject({ kind: 'remote', name: 'origin/main', commit });
  });

  it('says how old it is if its remote does not answer', async () => {
    const all = new Repositories();
    all.make('origin');
    all.clone('origin', 'work');
    rmSync(join(all.path, 'origin'), { recursive: true });
    const work = await all.repository('work');
    const base = await findBase(all.git, work, '');
    const fresh = await freshen(all.git, work, base);
    expect(fresh.commit).toBe(base.commit);
    expect(fresh.note).toMatch(
      /^origin\/main was not fetched \(.+\); the last commit known here is of \d{4}-/,
    );
  });

  it('stays the local branch if both have commits of their own, and says so', async () => {
    const all = new Repositories();
    all.make('origin');
    all.clone('origin', 'work');
    all.commit('origin', 'b.txt', 'b\n');
    const own = all.commit('work', 'c.txt', 'c\n');
    const work = await all.repository('work');
    const fresh = await freshen(all.git, work, await findBase(all.git, work, 'main'));
    expect(fresh.commit).toBe(own);
    expect(fresh.note).toContain('main has 1 commit that origin/main lacks, and lacks 1 commit of it');
  });

  it('may be a commit, a tag, or a branch that a tag hides', async () => {
    const all = new Repositories();
    all.make('work');
    const first = all.run('work', 'rev-parse', 'HEAD');
    all.run('work', 'tag', 'v1');
    all.run('work', 'tag', 'main');
    const second = all.commit('work', 'b.txt', 'b\n');
    const work = await all.repository('work');
    expect(await findBase(all.git, work, 'v1')).toEqual({ kind: 'commit', name: first, commit: first });
    expect(await findBase(all.git, work, first.slice(0, 10))).toMatchObject({ commit: first });
    expect(await findBase(all.git, work, 'main')).toEqual({ kind: 'branch', name: 'main', commit: second });
    all.run('work', 'checkout', '-q', '--detach');
    expect(await findBase(all.git, work, '')).toMatchObject({ kind: 'commit', commit: second });
    await expect(findBase(all.git, work, '--all')).rejects.toThrow(WorktreeRefusal);
    await expect(findBase(all.git, work, 'a\nb')).rejects.toThrow(WorktreeRefusal);
  });
});

describe('the name of a new branch', () => {
  it('is new in any case of letters, and is never below another branch', async () => {
    const all = new Repositories();
    all.make('work');
    const work = await all.repository('work');
    const name = (title: string): Promise<string> => freeBranchName(all.git, work, { title, id: 'Ab-1' });
    expect(await name('')).toBe('agenthost/ab-1');
    all.run('work', 'branch', 'agenthost/Fix');
    all.run('work', 'branch', 'agenthost/fix-2/deep');
    expect(await name('fix')).toBe('agenthost/fix-3');
    all.run('work', 'branch', '-D', 'agenthost/Fix', 'agenthost/fix-2/deep');
    all.run('work', 'branch', 'agenthost');
    expect(await name('fix')).toBe('agenthost-fix');
  });

  it.each([
    ['Fix the Login-Page!', 'fix-the-login-page'],
    ['  Ünïcode ärger  ', 'unicode-arger'],
    ['日本語', ''],
    ['a/../b.lock', 'a-b-lock'],
    ['x'.repeat(100), 'x'.repeat(40)],
    ['one two three four five six seven eight nine', 'one-two-three-four-five-six-seven-eight'],
  ])('of %j is %j', (title, slug) => expect(slugOf(title)).toBe(slug));
});

describe('a worktree', () => {
  it('is made from a linked worktree, and from a repository without a checkout of its own', async () => {
    const all = new Repositories();
    all.make('work');
    await all.add('work', 'first');
    const second = await all.add('first', 'second', { branch: 'other' });
    expect((await all.repository('second')).commonDir).toBe((await all.repository('work')).commonDir);
    expect(await all.state('work', second)).toMatchObject({ branch: 'other', ahead: 0 });
    all.run('.', 'clone', '-q', '--bare', 'work', 'bare.git');
    all.run('bare.git', 'worktree', 'add', '-q', join(all.path, 'of-bare'), 'main');
    const third = await all.add('of-bare', 'third', { branch: 'third' });
    expect(readFileSync(join(third, 'a.txt'), 'utf8')).toBe('one\n');
    expect(await findRepository(join(all.path, 'bare.git'))).toBeUndefined();
  });

  it('takes over a sparse checkout', async () => {
    const all = new Repositories();
    all.make('work');
    all.commit('work', 'big/x.txt', 'x\n');
    all.commit('work', 'small/y.txt', 'y\n');
    all.run('work', 'sparse-checkout', 'set', 'small');
    const path = await all.add('work', 'side');
    expect([existsSync(join(path, 'small', 'y.txt')), existsSync(join(path, 'big'))]).toEqual([true, false]);
    expect(workIn(await all.state('work', path))).toBeUndefined();
  });

  it('is not removed while it has submodules of its own', async () => {
    const all = new Repositories();
    all.make('library');
    all.make('work');
    all.run(
      'work',
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      join(all.path, 'library'),
      'lib',
    );
    all.run('work', 'commit', '-qm', 'with a submodule');
    const path = await all.add('work', 'side');
    expect(workIn(await all.state('work', path))).toBeUndefined();
    all.run('side', '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
    expect(workIn(await all.state('work', path))).toBe('submodules, whose commits are stored in it');
    await expect(removeWorktree(all.git, await all.repository('work'), path)).rejects.toThrow('submodules');
  });

  it('has the files of a filter such as git LFS, and is not made if a required one fails', async () => {
    const all = new Repositories();
    all.make('work');
    all.run('work', 'config', 'filter.upper.smudge', 'tr a-z A-Z');
    all.run('work', 'config', 'filter.upper.clean', 'tr A-Z a-z');
    all.run('work', 'config', 'filter.upper.required', 'true');
    all.commit('work', '.gitattributes', '*.up filter=upper\n');
    all.commit('work', 'x.up', 'text\n');
    const path = await all.add('work', 'side');
    expect(readFileSync(join(path, 'x.up'), 'utf8')).toBe('TEXT\n');
    all.run('work', 'config', 'filter.upper.smudge', 'false');
    await expect(all.add('work', 'failing', { branch: 'failing' })).rejects.toThrow(
      /The worktree was not made: [^]*smudge filter/,
    );
    expect(existsSync(join(all.path, 'failing'))).toBe(false);
    expect(all.run('work', 'branch', '--list', 'failing')).toBe('');
  });

  it('leaves nothing if the disk is full', async () => {
    const all = new Repositories();
    all.make('work');
    all.commit('work', 'big.bin', 'x'.repeat(3_000_000));
    const program = join(all.path, 'small-git');
    // A limit of the size of files fails writes as a full disk does.
    writeFileSync(program, `#!/bin/sh\ntrap '' XFSZ\nulimit -f 1000\nexec git "$@"\n`);
    chmodSync(program, 0o755);
    const git = all.gitWith(program);
    await expect(all.add('work', 'made/side', { git })).rejects.toThrow(WorktreeRefusal);
    expect(existsSync(join(all.path, 'made'))).toBe(false);
    expect(all.run('work', 'branch', '--list', 'side')).toBe('');
    expect(await listWorktrees(all.git, await all.repository('work'))).toHaveLength(1);
  });

  it('is not made with the name of a branch that exists, which stays', async () => {
    const all = new Repositories();
    all.make('work');
    // At the same commit, so that its tip does not tell it from the new one.
    all.run('work', 'branch', 'side');
    await expect(all.add('work', 'side')).rejects.toThrow("'side' already exists");
    expect(all.run('work', 'branch', '--list', 'side')).toContain('side');
  });

  it('counts as pushed when the branch of a remote has its commits', async () => {
    const all = new Repositories();
    all.make('origin');
    all.run('origin', 'config', 'receive.denyCurrentBranch', 'ignore');
    all.clone('origin', 'work');
    const path = await all.add('work', 'side');
    all.commit('side', 'b.txt', 'b\n');
    expect(workIn(await all.state('work', path))).toBe('1 commit that is not merged or pushed');
    all.run('side', 'push', '-q', 'origin', 'side');
    expect(await all.state('work', path)).toMatchObject({ isPushed: true, isMerged: false, ahead: 1 });
    expect(workIn(await all.state('work', path))).toBeUndefined();
  });

  it('is not taken for another one behind a link in its place', async () => {
    const all = new Repositories();
    all.make('work');
    const mine = await all.add('work', 'mine', { branch: 'mine' });
    const path = await all.add('work', 'side');
    renameSync(path, `${path}-moved`);
    symlinkSync(mine, path);
    await expect(all.state('work', path)).rejects.toThrow('no worktree');
    rmSync(path);
    mkdirSync(path);
    all.make('other');
    writeFileSync(join(path, '.git'), `gitdir: ${join(all.path, 'other', '.git')}\n`);
    await expect(all.state('work', path)).rejects.toThrow('no worktree');
  });

  it('is not removed in the middle of a merge', async () => {
    const all = new Repositories();
    all.make('work');
    const path = await all.add('work', 'side');
    all.run('work', 'commit', '-q', '--allow-empty', '-m', 'empty');
    all.run('side', 'merge', '-q', '--no-ff', '--no-commit', 'main');
    expect(workIn(await all.state('work', path))).toBe('an unfinished merge');
  });
});

describe('a merge without a checkout of the base', () => {
  it('is signed if the user signs commits', async () => {
    const all = new Repositories();
    all.make('work');
    await all.add('work', 'side');
    all.commit('side', 'b.txt', 'b\n');
    all.commit('work', 'c.txt', 'c\n');
    all.run('work', 'checkout', '-q', '--detach');
    const program = join(all.path, 'sign');
    writeFileSync(program, `#!/bin/sh\ncat > /dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho signature\n`);
    chmodSync(program, 0o755);
    all.run('work', 'config', 'commit.gpgSign', 'true');
    all.run('work', 'config', 'gpg.program', program);
    await mergeInto(all.git, await all.repository('side'), { branch: 'side', base: 'main' });
    expect(all.run('work', 'cat-file', 'commit', 'main')).toContain('gpgsig signature');
  });
});
