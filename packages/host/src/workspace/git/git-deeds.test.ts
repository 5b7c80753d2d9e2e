import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SimulatedClock } from '@agenthost/testkit';
import { expect, test } from 'vitest';
import { branchNameProblem, createBranch, switchBranch } from './branches.ts';
import { commit } from './commit.ts';
import { sessionGitOf } from './git-state.ts';
import { stateOf } from './git-tree.ts';
import { GitTreeFixture } from './git-tree-fixture.ts';
import { fetch, pull, push } from './remotes.ts';
import { stage, unstage } from './stage.ts';
import { stash, stashPop } from './stash.ts';

const clock = new SimulatedClock();

/** A repository with one commit. */
function started(): GitTreeFixture {
  const fixture = new GitTreeFixture(clock);
  fixture.write('a', '1\n');
  fixture.write('b', '1\n');
  fixture.commit();
  return fixture;
}

const read = (fixture: GitTreeFixture, path: string): string =>
  readFileSync(join(fixture.tree, path), 'utf8');

test('everything is staged and unstaged, before the first commit too, and files stay as they are', async () => {
  const fixture = new GitTreeFixture(clock);
  fixture.git(['init', '-q', '-b', 'main']);
  fixture.write('a', '1\n');
  fixture.write('*?[b]', 'x');
  const tree = await fixture.at();
  expect(await stage(tree)).toBe('2 files staged');
  expect(fixture.status).toEqual(['A  *?[b]', 'A  a']);
  expect(await unstage(tree)).toBe('2 files unstaged');
  expect(fixture.status).toEqual(['?? *?[b]', '?? a']);
  await stage(tree, ['*?[b]']);
  expect(fixture.status).toEqual(['A  *?[b]', '?? a']);
  expect(await commit(tree, { message: '# one\n', isAmend: false })).toMatch(
    /^Committed [0-9a-f]{7} on main: 1 file$/,
  );
  expect(fixture.git(['log', '-1', '--format=%B'])).toBe('# one');
  fixture.git(['add', 'a']);
  fixture.write('a', '2\n');
  expect((await stateOf(tree)).entries).toMatchObject([{ path: 'a', isStaged: true, isUnstaged: true }]);
  expect(await unstage(tree)).toBe('1 file unstaged');
  expect(read(fixture, 'a')).toBe('2\n');
});

test('staging takes only the session’s folder, and neither repositories inside nor files of the host', async () => {
  const fixture = started();
  for (const path of ['one/x', 'one/secret', 'two/y', 'one/nested/z']) fixture.write(path, 'x');
  fixture.git(['init', '-q'], 'one/nested');
  const tree = await fixture.at('one', { isPrivate: (path) => path.endsWith('/secret') });
  expect(await stage(tree)).toBe('1 file staged');
  expect(fixture.status).toEqual(['A  one/x', '?? one/nested/', '?? one/secret', '?? two/y']);
  await expect(stage(tree, ['one/secret'])).rejects.toThrow('belongs to the host');
  fixture.git(['add', 'two/y']);
  await expect(commit(tree, { message: 'm', isAmend: false })).rejects.toThrow(
    'Not committed: "two/y", outside of this session\'s folder, is staged',
  );
});

test('a commit takes what is staged; everything if nothing is staged or if it is asked to', async () => {
  const fixture = started();
  const tree = await fixture.at();
  fixture.write('a', '2\n');
  fixture.write('b', '2\n');
  fixture.git(['add', 'a']);
  await commit(tree, { message: 'only a', isAmend: false });
  expect(fixture.status).toEqual([' M b']);
  fixture.write('new', 'x');
  expect(await commit(tree, { message: 'rest', isAmend: false })).toMatch(/on main: 2 files$/);
  expect(fixture.status).toEqual([]);
  await expect(commit(tree, { message: 'm', isAmend: false })).rejects.toThrow('nothing is staged');
  fixture.write('a', '3\n');
  await expect(commit(tree, { message: 'm', isAmend: false, isAll: false })).rejects.toThrow(
    'nothing is staged',
  );
  fixture.git(['add', 'a']);
  expect(await commit(tree, { isAmend: true })).toMatch(
    /^Amended the last commit: it is now \w+ on main: 3 files$/,
  );
  expect(fixture.git(['log', '--format=%s'])).toBe('rest\nonly a\nfirst');
});

test('a commit that a hook refuses shows the words of the hook, and leaves the index as it was', async () => {
  const fixture = started();
  const tree = await fixture.at();
  fixture.script(
    '.git/hooks/pre-commit',
    'printf "\\033[31mlint: bad\\033[0m\\n"; echo "in $PWD" >&2; exit 1',
  );
  fixture.write('a', '2\n');
  fixture.git(['add', 'a']);
  fixture.write('a', '3\n');
  fixture.write('new', 'x');
  const before = fixture.status;
  await expect(commit(tree, { message: 'm', isAll: true, isAmend: false })).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringMatching(/^Not committed: lint: bad\n+in /),
  });
  expect(fixture.status).toEqual(before);
  expect(fixture.git(['show', ':a'])).toBe('2');
  // What a hook has changed in the index stays.
  fixture.script('.git/hooks/pre-commit', 'git rm -q --cached b; exit 1');
  await expect(commit(tree, { message: 'm', isAll: true, isAmend: false })).rejects.toThrow('Not committed');
  expect(fixture.status).toContain('D  b');
});

test('a commit is signed by the program of the user, and its refusal says what to do', async () => {
  const fixture = started();
  const tree = await fixture.at();
  const program = fixture.script(
    '../gpg',
    'cat >/dev/null; echo "[GNUPG:] SIG_CREATED x" >&2; echo signature',
  );
  fixture.git(['config', 'commit.gpgSign', 'true']);
  fixture.git(['config', 'gpg.program', program]);
  fixture.write('a', '2\n');
  await commit(tree, { message: 'signed', isAmend: false });
  expect(fixture.git(['cat-file', 'commit', 'HEAD'])).toContain('gpgsig signature');
  fixture.script('../gpg', 'cat >/dev/null; echo "no pinentry" >&2; exit 2');
  fixture.write('a', '3\n');
  await expect(commit(tree, { message: 'm', isAmend: false })).rejects.toThrow(/passphrase of a signing key/);
  expect(fixture.status).toEqual([' M a']);
});

test('a commit that takes too long is ended with its hooks', async () => {
  const fixture = started();
  const tree = await fixture.at();
  const mark = join(fixture.path, 'mark');
  fixture.script('.git/hooks/pre-commit', `echo $$ > ${mark}; sleep 1000`);
  fixture.write('a', '2\n');
  const committing = commit(tree, { message: 'm', isAmend: false });
  committing.catch(() => undefined);
  await expect
    .poll(() => existsSync(mark) && readFileSync(mark, 'utf8').endsWith('\n'), { timeout: 20_000 })
    .toBe(true);
  await clock.advance(600_000);
  await expect(committing).rejects.toMatchObject({ code: 'late', message: expect.stringContaining('600 s') });
  const pid = Number(readFileSync(mark, 'utf8'));
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
  expect(fixture.status).toEqual([' M a']);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a branch is pushed to a new branch, then to the one that it follows, and never by force', async () => {
  const fixture = started();
  const tree = await fixture.at();
  await expect(push(tree)).rejects.toThrow('the repository has no remote');
  const remote = fixture.addRemote();
  expect(await createBranch(tree, 'feature/x')).toBe('Created the branch feature/x');
  fixture.write('a', '2\n');
  await commit(tree, { message: 'two', isAmend: false });
  expect(await push(tree)).toBe('Pushed feature/x to the new branch origin/feature/x');
  await expect(commit(tree, { isAmend: true })).rejects.toThrow(
    'the last commit is on origin/feature/x already',
  );
  fixture.write('a', '3\n');
  await commit(tree, { message: 'three', isAmend: false });
  expect(await push(tree)).toBe('Pushed 1 commit of feature/x to origin/feature/x');
  expect(fixture.git(['--git-dir', remote, 'log', '-1', '--format=%s', 'feature/x'])).toBe('three');
  fixture.git(['switch', '-q', 'main']);
  fixture.commitElsewhere('c', 'x');
  fixture.write('a', '9\n');
  await commit(tree, { message: 'mine', isAmend: false });
  await expect(push(tree)).rejects.toThrow(/pull first$/);
  fixture.git(['checkout', '-q', '--detach']);
  await expect(push(tree)).rejects.toThrow('no branch is checked out');
});

test('a password that nothing knows is refused with advice, and not shown', async () => {
  const fixture = started();
  const tree = await fixture.at();
  fixture.git(['remote', 'add', 'origin', 'https://user:hunter2@localhost:1/x.git']);
  await expect(push(tree)).rejects.toThrow(/^Not pushed(?!.*hunter2)/s);
  fixture.git(['remote', 'set-url', 'origin', 'ssh://host/x.git']);
  fixture.env['GIT_SSH_COMMAND'] = fixture.script(
    '../ssh',
    'tty -s </dev/tty && echo "has a terminal" >&2; echo "user@host: Permission denied (publickey)." >&2; exit 255',
  );
  const refusal = push(await fixture.at());
  await expect(refusal).rejects.toThrow('Set up a credential helper');
  await expect(refusal).rejects.not.toThrow('has a terminal');
});

test('a pull merges, and refuses to overwrite changes', async () => {
  const fixture = started();
  fixture.addRemote();
  const tree = await fixture.at();
  expect(await fetch(tree)).toBe('Fetched: main is up to date with origin/main');
  fixture.commitElsewhere('c', 'x');
  fixture.write('b', 'mine\n');
  await commit(tree, { message: 'mine', isAmend: false });
  expect(await fetch(tree)).toBe('Fetched: main is 1 commit behind and 1 commit ahead of origin/main');
  fixture.write('a', 'not committed\n');
  expect(await pull(tree)).toBe('Pulled 1 commit of origin/main into main');
  expect(read(fixture, 'a')).toBe('not committed\n');
  expect(existsSync(join(fixture.tree, 'c'))).toBe(true);
  expect(await pull(tree)).toBe('main is up to date with origin/main');
  fixture.commitElsewhere('a', 'theirs\n');
  await expect(pull(tree)).rejects.toThrow(/^Not pulled: [^]*would be overwritten by merge/);
  expect(read(fixture, 'a')).toBe('not committed\n');
});

test.each([[], ['pull.rebase', 'true']])('a pull that conflicts is aborted (%s %s)', async (...setting) => {
  const fixture = started();
  fixture.addRemote();
  if (setting.length > 0) fixture.git(['config', ...setting]);
  const tree = await fixture.at();
  fixture.commitElsewhere('a', 'theirs\n');
  fixture.write('a', 'mine\n');
  await commit(tree, { message: 'mine', isAmend: false });
  const head = fixture.git(['rev-parse', 'HEAD']);
  if (setting.length === 0) fixture.write('b', 'not committed\n');
  const before = fixture.status;
  await expect(pull(tree)).rejects.toThrow(
    /^Not pulled: "a" conflicts with origin\/main\. The (merge|rebase) was aborted/,
  );
  expect(fixture.status).toEqual(before);
  expect(fixture.git(['rev-parse', 'HEAD'])).toBe(head);
  expect(read(fixture, 'a')).toBe('mine\n');
});

test('changes are stashed with new files, those of the session’s folder alone, and come back', async () => {
  const fixture = started();
  for (const path of ['one/x', 'two/y']) fixture.write(path, '1\n');
  fixture.git(['add', '-A']);
  fixture.git(['commit', '-q', '-m', 'x']);
  for (const path of ['one/x', 'two/y', 'one/new']) fixture.write(path, '2\n');
  const tree = await fixture.at('one');
  expect(await stash(tree, '--message; $(x)')).toBe('Stashed 2 files');
  expect(fixture.status).toEqual([' M two/y']);
  expect(fixture.git(['stash', 'list'])).toContain('--message; $(x)');
  expect(sessionGitOf(await stateOf(tree))).toMatchObject({ stashes: 1, uncommittedChanges: 0 });
  await expect(stash(tree, undefined)).rejects.toThrow('nothing has changed');
  expect(await stashPop(tree)).toBe('Applied the last stash; 0 others left');
  expect(fixture.status).toEqual([' M one/x', ' M two/y', '?? one/new']);
  await expect(stashPop(tree)).rejects.toThrow('the stash is empty');
});

test('a stash that conflicts keeps its entry, and a stash takes no files of the host away', async () => {
  const fixture = started();
  const tree = await fixture.at('', { holdsPrivate: () => true });
  fixture.write('a', 'stashed\n');
  fixture.write('data', 'of the host');
  expect(await stash(tree, undefined)).toBe('Stashed 1 file');
  expect(read(fixture, 'data')).toBe('of the host');
  fixture.write('a', 'committed\n');
  fixture.git(['commit', '-q', '-am', 'x']);
  await expect(stashPop(tree)).rejects.toThrow('The stash conflicts in "a": the files have conflict markers');
  expect(fixture.git(['stash', 'list'])).not.toBe('');
  // Staging everything does not call a conflict solved.
  expect((await stateOf(tree)).entries).toContainEqual(
    expect.objectContaining({ path: 'a', isConflict: true }),
  );
  await stage(tree);
  expect(fixture.status).toContain('UU a');
  await expect(commit(tree, { message: 'm', isAmend: false, isAll: true })).rejects.toThrow(/unmerged/);
});

test('a branch is switched only if nothing gets lost', async () => {
  const fixture = started();
  fixture.write('.gitignore', 'ignored\n');
  fixture.git(['add', '-A']);
  fixture.git(['commit', '-q', '-m', 'x']);
  const tree = await fixture.at();
  await createBranch(tree, 'other');
  fixture.write('a', 'other\n');
  fixture.write('ignored', 'tracked there');
  fixture.git(['add', '-f', 'ignored']);
  await commit(tree, { message: 'other', isAmend: false, isAll: true });
  expect(await switchBranch(tree, 'main')).toBe('Switched to main');
  fixture.write('a', 'mine\n');
  await expect(switchBranch(tree, 'other')).rejects.toThrow(/would be overwritten by checkout/);
  fixture.git(['restore', 'a']);
  fixture.write('ignored', 'mine');
  await expect(switchBranch(tree, 'other')).rejects.toThrow('The branch was not switched');
  expect(read(fixture, 'ignored')).toBe('mine');
  fixture.git(['checkout', '-q', '--detach']);
  fixture.write('b', 'loose\n');
  await commit(tree, { message: 'loose', isAmend: false });
  await expect(switchBranch(tree, 'main')).rejects.toThrow('the last commits are on no branch');
  await createBranch(tree, 'kept');
  expect(await switchBranch(tree, 'main')).toBe('Switched to main');
});

test.each(['-d', '--orphan', 'a b', 'a..b', 'x.lock', '@{-1}', '@', 'HEAD', 'a\\b', '', 'é~1'])(
  'the name of a branch is not %j',
  async (name) => {
    expect(await branchNameProblem(await started().at(), name)).toContain('expected the name of a branch');
  },
);

test('the state names branch, upstream, counts and what git is in the middle of', async () => {
  const fixture = started();
  fixture.addRemote();
  fixture.git(['remote', 'set-head', 'origin', 'main']);
  fixture.git(['switch', '-q', '-c', 'topic', '--track', 'origin/main']);
  fixture.commitElsewhere('c', 'x');
  fixture.git(['fetch', '-q']);
  fixture.write('a', 'topic\n');
  fixture.git(['commit', '-q', '-am', 'x']);
  fixture.write('new', 'x');
  fixture.git(['add', 'new']);
  const tree = await fixture.at();
  expect(sessionGitOf(await stateOf(tree))).toEqual({
    branchName: 'topic',
    baseBranchName: 'main',
    upstreamBranchName: 'origin/main',
    incomingChanges: 1,
    outgoingChanges: 1,
    uncommittedChanges: 1,
    stagedChanges: 1,
    stashes: 0,
  });
  fixture.git(['checkout', '-q', '--detach']);
  writeFileSync(join(tree.repository.gitDir, 'MERGE_HEAD'), `${fixture.git(['rev-parse', 'main'])}\n`);
  const detached = sessionGitOf(await stateOf(tree));
  expect(detached).toMatchObject({ operation: 'merge' });
  expect(detached).not.toHaveProperty('branchName');
});

test('operations work in linked worktrees and in submodules, each in its own repository', async () => {
  const fixture = started();
  fixture.git(['worktree', 'add', '-q', '-b', 'linked', 'linked']);
  fixture.git(['-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', fixture.tree, 'module']);
  fixture.git(['commit', '-q', '-m', 'module']);
  fixture.write('linked/a', 'linked\n');
  expect(await commit(await fixture.at('linked'), { message: 'in linked', isAmend: false })).toMatch(
    /on linked: 1 file$/,
  );
  await expect(switchBranch(await fixture.at('linked'), 'main')).rejects.toThrow(
    /already (checked out|used)/,
  );
  fixture.write('module/a', 'module\n');
  expect(await commit(await fixture.at('module'), { message: 'in module', isAmend: false })).toMatch(
    /on main: 1 file$/,
  );
  // A submodule that has moved is committed only when it was staged.
  const tree = await fixture.at();
  expect((await stateOf(tree)).entries).toMatchObject(
    [
      { path: 'linked/', isStaged: false },
      { path: 'module', isSubmodule: true },
    ].toReversed(),
  );
  expect(await stage(tree)).toBe('0 files staged');
  fixture.git(['add', 'module']);
  await commit(tree, { message: 'moved', isAmend: false });
  expect(fixture.git(['log', '-1', '--format=%s'])).toBe('moved');
});
