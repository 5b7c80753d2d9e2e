import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WorktreeFixture } from './worktree-fixture.ts';

const SESSION = 'ahp-session:/one';

describe('the facts of a worktree', () => {
  it('follow a commit outside of turns', async () => {
    const fixture = await WorktreeFixture.start();
    await fixture.session();
    const { base } = fixture;
    const uri = (fixture.state().changesets ?? []).find(({ changeKind }) => changeKind === 'uncommitted');
    fixture.write(fixture.folder(), 'b.txt', 'b');
    const changeset = await base.watch(fixture.client, uri?.uriTemplate ?? '');
    await changeset.shows('b.txt +1 -0');
    await changeset.invoke('commit', undefined, { message: 'b' });
    await base.until(() => fixture.facts()?.ahead === 1, 100);
    expect(fixture.facts()).toMatchObject({ ahead: 1, behind: 0, uncommittedChanges: 0 });
  });
});

describe('a merge of a worktree into its base', () => {
  it('moves the base in the checkout that has it, and the worktree stays', async () => {
    const fixture = await WorktreeFixture.start();
    await fixture.session();
    fixture.commit(fixture.folder(), 'b.txt', 'b\n');
    expect(await fixture.call('x-mergeWorktree')).toContain('Merged 1 commit');
    expect(readFileSync(join(fixture.tree, 'b.txt'), 'utf8')).toBe('b\n');
    expect(fixture.git(['status', '--porcelain'])).toBe('');
    expect(fixture.facts()).toMatchObject({ ahead: 0, behind: 0 });
    expect(await fixture.call('x-mergeWorktree')).toContain('has all commits');
  });

  it('is refused for uncommitted files, for changes in the checkout of the base, and for conflicts, and changes nothing', async () => {
    const fixture = await WorktreeFixture.start();
    await fixture.session();
    const folder = fixture.folder();
    fixture.commit(folder, 'a.txt', 'two\n');
    const before = fixture.git(['rev-parse', 'main']);
    fixture.write(folder, 'c.txt', 'c');
    await expect(fixture.call('x-mergeWorktree')).rejects.toMatchObject({
      code: -32_011,
      message: expect.stringContaining('1 uncommitted file'),
    });
    fixture.git(['clean', '-qf'], folder);
    fixture.write(fixture.tree, 'a.txt', 'mine\n');
    await expect(fixture.call('x-mergeWorktree')).rejects.toMatchObject({
      message: expect.stringContaining('commit or stash'),
    });
    expect(readFileSync(join(fixture.tree, 'a.txt'), 'utf8')).toBe('mine\n');
    expect(fixture.git(['rev-parse', 'main'])).toBe(before);
    fixture.git(['commit', '-qam', 'mine']);
    await expect(fixture.call('x-mergeWorktree')).rejects.toMatchObject({
      message: expect.stringContaining('Both sides have changed a.txt'),
    });
    expect(fixture.git(['status', '--porcelain'])).toBe('');
    expect(fixture.git(['log', '-1', '--format=%s'])).toBe('mine');
  });

  it('works without a checkout of the base', async () => {
    const fixture = await WorktreeFixture.start();
    await fixture.session();
    fixture.commit(fixture.folder(), 'b.txt', 'b\n');
    fixture.commit(fixture.tree, 'c.txt', 'c\n');
    fixture.git(['checkout', '-q', '-b', 'other']);
    await fixture.call('x-mergeWorktree');
    expect(fixture.git(['ls-tree', '--name-only', 'main']).split('\n')).toEqual(['a.txt', 'b.txt', 'c.txt']);
    expect(fixture.git(['rev-list', '--count', '--merges', 'main'])).toBe('1');
    expect(fixture.git(['status', '--porcelain'])).toBe('');
    expect(existsSync(join(fixture.tree, 'b.txt'))).toBe(false);
  });
});

describe('the branch of a worktree', () => {
  it('is opened in the checkout that it was made from, and the worktree keeps its files', async () => {
    const fixture = await WorktreeFixture.start();
    await fixture.session();
    const branch = fixture.facts()?.branch;
    fixture.commit(fixture.folder(), 'b.txt', 'b\n');
    fixture.write(fixture.tree, 'a.txt', 'mine\n');
    await expect(fixture.call('x-openWorktree')).rejects.toMatchObject({ code: -32_011 });
    expect(fixture.git(['symbolic-ref', '--short', 'HEAD'], fixture.folder())).toBe(branch);
    fixture.git(['checkout', '-q', 'a.txt']);
    await fixture.call('x-openWorktree');
    expect(fixture.git(['symbolic-ref', '--short', 'HEAD'])).toBe(branch);
    expect(existsSync(join(fixture.folder(), 'b.txt'))).toBe(true);
    expect(fixture.facts()?.branch).toBeUndefined();
  });
});

describe('a worktree whose session is disposed of', () => {
  it('is removed with its branch if it holds no work', async () => {
    const fixture = await WorktreeFixture.start();
    await fixture.session();
    await fixture.dispose();
    await fixture.emptied();
    expect(fixture.made).toEqual([]);
    expect(fixture.git(['branch', '--list', 'agenthost/*'])).toBe('');
    expect(fixture.git(['worktree', 'list']).split('\n')).toHaveLength(1);
  });

  it.each([
    [
      'an uncommitted file',
      '1 uncommitted file',
      (fixture: WorktreeFixture, folder: string) => fixture.write(folder, 'b.txt', 'b'),
    ],
    [
      'a commit',
      '1 commit that is not merged or pushed',
      (fixture: WorktreeFixture, folder: string) => fixture.commit(folder, 'b.txt', 'b'),
    ],
    [
      'a commit without a branch',
      '1 commit that is not merged or pushed',
      (fixture: WorktreeFixture, folder: string) => {
        fixture.git(['checkout', '-q', '--detach'], folder);
        fixture.commit(folder, 'b.txt', 'b');
      },
    ],
  ] as const)('stays and is listed if it holds %s', async (_, holds, work) => {
    const fixture = await WorktreeFixture.start();
    await fixture.session();
    const folder = fixture.folder();
    work(fixture, folder);
    await fixture.dispose();
    await fixture.base.until(() => fixture.base.host.host.core.sync.registry.get(SESSION) === undefined);
    const [kept] = await fixture.list();
    expect(kept).toMatchObject({ holds, state: 'ready' });
    expect(kept).not.toHaveProperty('session');
    expect(existsSync(join(folder, 'b.txt'))).toBe(true);
    await expect(fixture.call('x-removeWorktree')).rejects.toMatchObject({
      code: -32_011,
      message: expect.stringContaining(holds),
    });
    expect(existsSync(join(folder, 'b.txt'))).toBe(true);
  });

  it('is removed on demand without its uncommitted files, and its commits stay', async () => {
    const fixture = await WorktreeFixture.start();
    await fixture.session();
    const branch = fixture.facts()?.branch ?? '';
    fixture.commit(fixture.folder(), 'b.txt', 'b\n');
    fixture.write(fixture.folder(), 'c.txt', 'c');
    await expect(fixture.call('x-removeWorktree', { discard: true })).rejects.toMatchObject({
      message: expect.stringContaining('A session works in'),
    });
    await fixture.dispose();
    expect(await fixture.call('x-removeWorktree', { discard: true })).toContain(`on the branch ${branch}`);
    expect(fixture.made).toEqual([]);
    expect(fixture.git(['show', `${branch}:b.txt`])).toBe('b');
  });
});

describe('a host that starts again', () => {
  it('finds its worktrees again', async () => {
    const fixture = await WorktreeFixture.start();
    await fixture.session();
    fixture.write(fixture.folder(), 'b.txt', 'b');
    const [before] = await fixture.list();
    const next = await fixture.restarted();
    expect(await next.list()).toEqual([{ ...before, uncommittedChanges: 1, holds: '1 uncommitted file' }]);
  });

  it('removes a worktree that was not finished when it was killed', async () => {
    const fixture = await WorktreeFixture.start((base) => {
      // Each checkout of a file waits until the test lets it go on.
      base.git(
        'config',
        'filter.slow.smudge',
        `touch "${base.path}/began"; while [ ! -e "${base.path}/go" ]; do sleep 0.05; done; cat`,
      );
    });
    fixture.commit(fixture.tree, '.gitattributes', 'a.txt filter=slow\n');
    await fixture.base.ask(fixture.client, 'createSession', {
      channel: SESSION,
      workingDirectories: [`file://${fixture.tree}`],
      config: { isolation: 'worktree' },
    });
    await fixture.base.until(() => existsSync(join(fixture.base.path, 'began')));
    fixture.base.host.kill();
    fixture.write(fixture.base.path, 'go', '');
    await fixture.base.host.start();
    const next = await fixture.reconnected();
    await next.emptied();
    expect(next.made).toEqual([]);
    expect(fixture.git(['branch', '--list', 'agenthost/*'])).toBe('');
    expect(fixture.git(['worktree', 'list']).split('\n')).toHaveLength(1);
  });
});

describe('hooks of the user', () => {
  it('do not run when a worktree is made, merged with and without a checkout of its base, opened and removed', async () => {
    const fixture = await WorktreeFixture.start();
    const ran = join(fixture.base.path, 'ran');
    const hooks = join(fixture.base.path, 'hooks');
    for (const name of [
      ...['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-merge-commit', 'post-merge'],
      ...['post-checkout', 'post-index-change', 'reference-transaction', 'pre-push', 'post-rewrite'],
    ]) {
      fixture.write(hooks, name, `#!/bin/sh\necho ${name} >> '${ran}'\n`);
      chmodSync(join(hooks, name), 0o755);
    }
    fixture.git(['config', 'core.hooksPath', hooks]);
    // The hooks are hooks: git runs them for its user.
    fixture.git(['commit', '-q', '--allow-empty', '-m', 'x']);
    expect(readFileSync(ran, 'utf8')).toContain('post-commit');
    const withoutHooks = (work: () => void): void => {
      fixture.git(['config', 'core.hooksPath', '/dev/null']);
      work();
      fixture.git(['config', 'core.hooksPath', hooks]);
    };
    const before = readFileSync(ran, 'utf8');
    await fixture.session();
    withoutHooks(() => fixture.commit(fixture.folder(), 'b.txt', 'b\n'));
    await fixture.call('x-mergeWorktree');
    withoutHooks(() => {
      fixture.commit(fixture.folder(), 'c.txt', 'c\n');
      fixture.commit(fixture.tree, 'd.txt', 'd\n');
    });
    await fixture.call('x-mergeWorktree');
    withoutHooks(() => {
      fixture.commit(fixture.folder(), 'e.txt', 'e\n');
      fixture.commit(fixture.tree, 'f.txt', 'f\n');
      fixture.git(['checkout', '-q', '-b', 'other']);
    });
    await fixture.call('x-mergeWorktree');
    await fixture.call('x-openWorktree');
    await fixture.dispose();
    await fixture.emptied();
    expect(readFileSync(ran, 'utf8')).toBe(before);
  });
});
