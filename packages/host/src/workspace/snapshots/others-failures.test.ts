// Failures of other programs that record working trees. Each test is one of them.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Git } from '../git/git.ts';
import { FolderFixture, filesIn } from './folder-fixture.ts';
import { ChangeRecords } from './records.ts';
import { planRevert } from './revert.ts';
import type { StoredFolder } from './stores.ts';
import type { TreeChange } from './tree-changes.ts';
import { writeFiles } from './write-files.ts';

const git = new Git();

/** The changes of `work`, recorded as those of a turn. */
async function turn({ store, scope }: StoredFolder, work: () => void): Promise<TreeChange[]> {
  const start = await store.snapshot(scope);
  work();
  const end = await store.snapshot(scope);
  const changes = await store.difference(start.tree, end.tree, scope);
  await new ChangeRecords(store).add(
    { kind: 'turn', session: 's', chat: 'c', turnId: 't', scope, startedAt: 0, endedAt: 0, shared: [] },
    changes,
  );
  return changes;
}

const pathsOf = (changes: readonly TreeChange[]): string[] => changes.map(({ path }) => path);

/** Takes changes back. Resolves with the changes that this made. */
async function revert({ store, scope }: StoredFolder, changes: readonly TreeChange[]): Promise<TreeChange[]> {
  await store.snapshot(scope);
  const { plans, conflicts } = await planRevert(git, store, [changes]);
  expect(conflicts).toEqual([]);
  await writeFiles(store.root, plans, { read: (id) => store.read(id), temporary: '.agenthost-test.tmp' });
  return plans.map(({ path, from, to }) => ({
    path,
    ...(from && { before: from }),
    ...(to && { after: to }),
  }));
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(join(folder, name)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
}

test('the store does not grow with the size of the tree: unchanged files of a repository are not copied, and a step adds only its change', async () => {
  const folder = new FolderFixture();
  for (let at = 0; at < 40; at += 1) folder.write(`lib/${at}`, Buffer.alloc(50_000, Math.sin(at).toString()));
  for (let at = 0; at < 40; at += 1)
    folder.write(`random/${at}`, execFileSync('head', ['-c', '50000', '/dev/urandom']));
  folder.commit();
  const { store } = await folder.stores.of(folder.tree);
  await store.snapshot('');
  const first = sizeOf(store.folder.path);
  expect(first).toBeLessThan(300_000);
  for (let step = 0; step < 5; step += 1) {
    folder.write('small', `${step}`);
    await store.snapshot('');
  }
  expect(sizeOf(store.folder.path) - first).toBeLessThan(20_000);
});

test('a nested repository without commits does not stop the record, and nothing stale is restored behind it', async () => {
  const folder = new FolderFixture();
  folder.write('a', '1');
  folder.commit();
  const stored = await folder.stores.of(folder.tree);
  const changes = await turn(stored, () => {
    mkdirSync(join(folder.tree, 'nested'));
    folder.git(['init', '-q'], 'nested');
    folder.write('nested/inner', 'mine');
    folder.write('a', '2');
  });
  expect(pathsOf(changes)).toEqual(['a']);
  folder.write('nested/inner', 'mine, later');
  await revert(stored, changes);
  expect(readFileSync(join(folder.tree, 'a'), 'utf8')).toBe('1');
  expect(readFileSync(join(folder.tree, 'nested', 'inner'), 'utf8')).toBe('mine, later');
});

test('files that a nested repository replaces are recorded as gone', async () => {
  const folder = new FolderFixture();
  folder.write('lib', 'a file');
  folder.commit();
  const stored = await folder.stores.of(folder.tree);
  const changes = await turn(stored, () => {
    folder.remove('lib');
    mkdirSync(join(folder.tree, 'lib'));
    folder.git(['init', '-q'], 'lib');
  });
  expect(changes).toMatchObject([{ path: 'lib', before: { mode: '100644' } }]);
  expect(changes[0]?.after).toBeUndefined();
});

test('a revert in one folder of a monorepo resets no other folder', async () => {
  const folder = new FolderFixture();
  folder.write('app/a', '1');
  folder.write('lib/b', '1');
  folder.commit();
  const stored = await folder.stores.of(join(folder.tree, 'app'));
  folder.write('lib/b', 'by a person');
  const changes = await turn(stored, () => {
    folder.write('app/a', '2');
    folder.write('lib/c', 'by a person');
  });
  await revert(stored, changes);
  expect(readFileSync(join(folder.tree, 'app/a'), 'utf8')).toBe('1');
  expect(readFileSync(join(folder.tree, 'lib/b'), 'utf8')).toBe('by a person');
  expect(readFileSync(join(folder.tree, 'lib/c'), 'utf8')).toBe('by a person');
});

test('a revert writes only files that differ: others keep their times and inodes', async () => {
  const folder = new FolderFixture();
  for (const name of ['same', 'sub/same', 'changed', 'back']) folder.write(name, '1');
  folder.commit();
  const at = (name: string): string => join(folder.tree, name);
  for (const name of ['same', 'sub/same']) utimesSync(at(name), 1_000, 1_000);
  const stored = await folder.stores.of(folder.tree);
  const changes = await turn(stored, () => {
    folder.write('changed', '2');
    folder.write('back', '2');
  });
  // A person has brought it back already.
  folder.write('back', '1');
  const factsOf = () =>
    ['same', 'sub/same', 'back'].map((name) => {
      const { ino, ctimeNs, mtimeNs } = statSync(at(name), { bigint: true });
      return { name, ino, ctimeNs, mtimeNs };
    });
  const before = factsOf();
  await revert(stored, changes);
  expect(factsOf()).toEqual(before);
});

test('a turn keeps its changes when `.git` is renamed, reset or removed meanwhile, and later commits stay', async () => {
  const folder = new FolderFixture();
  folder.write('a', '1');
  folder.write('b', '1');
  folder.commit();
  const stored = await folder.stores.of(folder.tree);
  const first = await turn(stored, () => folder.write('a', '2'));
  folder.git(['commit', '-q', '-am', 'second']);
  const second = await turn(stored, () => {
    folder.write('b', '2');
    folder.git(['reset', '-q', '--hard', 'HEAD~1']);
    folder.write('b', '3');
  });
  expect(second).toMatchObject([{ path: 'a' }, { path: 'b' }]);
  folder.git(['reset', '-q', '--hard', 'HEAD@{1}']);
  const head = folder.git(['rev-parse', 'HEAD']);
  await revert(stored, first);
  expect(readFileSync(join(folder.tree, 'a'), 'utf8')).toBe('1');
  expect(folder.git(['rev-parse', 'HEAD'])).toBe(head);
  const third = await turn(stored, () => {
    folder.write('a', '4');
    renameSync(join(folder.tree, '.git'), join(folder.path, 'moved'));
  });
  expect(pathsOf(third)).toEqual(['a']);
  await revert(stored, third);
  expect(readFileSync(join(folder.tree, 'a'), 'utf8')).toBe('1');
});

test('content that only a removed `.git` had is named as changed, and does not stop later records', async () => {
  const folder = new FolderFixture();
  folder.write('a', '1');
  folder.write('b', '1');
  folder.commit();
  const stored = await folder.stores.of(folder.tree);
  const changes = await turn(stored, () => {
    folder.write('a', '2');
    rmSync(join(folder.tree, '.git'), { recursive: true });
  });
  expect(pathsOf(changes)).toEqual(['a']);
  await expect(stored.store.read(changes[0]?.before?.id ?? '')).rejects.toMatchObject({
    name: 'SnapshotError',
  });
  expect(pathsOf(await turn(stored, () => folder.write('b', '2')))).toEqual(['b']);
  expect(await stored.store.compact({ isForced: true, graceMs: 0 })).toBe(true);
  expect(await new ChangeRecords(stored.store).list('c')).toHaveLength(2);
});

test('untracked files, tracked deletions, links, executable bits and edits by a shell are recorded and restored', async () => {
  const folder = new FolderFixture();
  folder.write('tracked', '1');
  folder.write('run', '#!/bin/sh\n');
  symlinkSync('tracked', join(folder.tree, 'link'));
  folder.commit();
  folder.write('untracked', 'before');
  const stored = await folder.stores.of(folder.tree);
  const changes = await turn(stored, () => {
    execFileSync(
      'sh',
      [
        '-c',
        'rm tracked; echo x >> untracked; chmod +x run; ln -sfn elsewhere link; mkdir -p n/m; echo > n/m/new',
      ],
      { cwd: folder.tree },
    );
  });
  expect(pathsOf(changes)).toEqual(['link', 'n/m/new', 'run', 'tracked', 'untracked']);
  const undo = await revert(stored, changes);
  expect(readFileSync(join(folder.tree, 'tracked'), 'utf8')).toBe('1');
  expect(readFileSync(join(folder.tree, 'untracked'), 'utf8')).toBe('before');
  expect(statSync(join(folder.tree, 'run')).mode & 0o111).toBe(0);
  expect(readlinkSync(join(folder.tree, 'link'))).toBe('tracked');
  expect(existsSync(join(folder.tree, 'n'))).toBe(false);
  // A revert that can be undone, and whose undoing can be undone.
  const redo = await revert(stored, undo);
  expect(readFileSync(join(folder.tree, 'untracked'), 'utf8')).toBe('beforex\n');
  await revert(stored, redo);
  expect(readFileSync(join(folder.tree, 'untracked'), 'utf8')).toBe('before');
});

test('filters do not run, also not those of large files: a pointer is a text, and a revert writes the bytes of the disk', async () => {
  const folder = new FolderFixture();
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n';
  folder.write('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n*.txt text eol=crlf\n');
  folder.write('a.bin', pointer);
  folder.write('b.txt', 'a\r\n');
  folder.commit();
  const ran = join(folder.path, 'ran');
  for (const key of ['clean', 'smudge', 'process'])
    folder.git(['config', `filter.lfs.${key}`, `touch ${ran}; cat`]);
  const stored = await folder.stores.of(folder.tree);
  const changes = await turn(stored, () => {
    folder.write('a.bin', Buffer.from([1, 0, 255]));
    folder.write('b.txt', 'a\nb\r\n');
  });
  await revert(stored, changes);
  expect(readFileSync(join(folder.tree, 'a.bin'), 'utf8')).toBe(pointer);
  expect(readFileSync(join(folder.tree, 'b.txt'), 'utf8')).toBe('a\r\n');
  expect(existsSync(ran)).toBe(false);
});

test('signing of commits, hooks and all configuration of the user and the repository have no effect, and nothing of the repository changes', async () => {
  const folder = new FolderFixture();
  folder.write('a', '1');
  folder.commit();
  folder.write('a', 'in the stash');
  folder.git(['stash', '-q']);
  const ran = join(folder.path, 'ran');
  for (const [key, value] of [
    ['commit.gpgsign', 'true'],
    ['gpg.program', `${ran}.sh`],
    ['core.hooksPath', join(folder.path, 'hooks')],
    ['diff.external', `touch ${ran}`],
    ['core.pager', `touch ${ran}`],
    ['gc.auto', '1'],
  ])
    folder.git(['config', key ?? '', value ?? '']);
  mkdirSync(join(folder.path, 'hooks'));
  for (const hook of ['pre-commit', 'post-index-change', 'reference-transaction', 'post-checkout']) {
    writeFileSync(join(folder.path, 'hooks', hook), `#!/bin/sh\ntouch ${ran}\n`);
    chmodSync(join(folder.path, 'hooks', hook), 0o755);
  }
  const before = filesIn(join(folder.tree, '.git'));
  const stored = await folder.stores.of(folder.tree);
  const changes = await turn(stored, () => folder.write('a', '2'));
  const trees = await stored.store.pairOf(changes);
  expect(await stored.store.counted(trees)).toMatchObject([{ path: 'a', lines: { added: 1, removed: 1 } }]);
  await revert(stored, changes);
  await stored.store.compact({ isForced: true, graceMs: 0 });
  expect(filesIn(join(folder.tree, '.git'))).toEqual(before);
  expect(existsSync(ran)).toBe(false);
});

test('outside of git the record is the same', async () => {
  const folder = new FolderFixture();
  folder.write('a', '1');
  const stored = await folder.stores.of(folder.tree);
  const changes = await turn(stored, () => {
    folder.write('a', '2');
    folder.write('b', 'new');
  });
  expect(pathsOf(changes)).toEqual(['a', 'b']);
  await revert(stored, changes);
  expect(readFileSync(join(folder.tree, 'a'), 'utf8')).toBe('1');
  expect(existsSync(join(folder.tree, 'b'))).toBe(false);
});

test('a folder that the repository around it ignores is recorded like one outside of git, unless the repository has files of it', async () => {
  await using folder = new FolderFixture();
  folder.write('.gitignore', '*\n');
  for (const name of ['notes/a', 'part/b']) folder.write(name, '1\n');
  folder.commit();
  folder.git(['add', '-f', 'part/b']);
  folder.git(['commit', '-q', '-m', 'second']);
  const notes = await folder.stores.of(join(folder.tree, 'notes'));
  const changes = await turn(notes, () => {
    folder.write('notes/a', '2\n');
    folder.write('notes/new', 'x\n');
  });
  expect(pathsOf(changes)).toEqual(['a', 'new']);
  await revert(notes, changes);
  expect(readFileSync(join(folder.tree, 'notes/a'), 'utf8')).toBe('1\n');
  expect(existsSync(join(folder.tree, 'notes/new'))).toBe(false);
  expect(await notes.store.head('')).toBeUndefined();
  const part = await folder.stores.of(join(folder.tree, 'part'));
  expect(part.scope).toBe('part');
  expect(pathsOf(await turn(part, () => folder.write('part/b', '2\n')))).toEqual(['part/b']);
});

test('mixed line ends, a byte order mark, invalid UTF-8 and a missing final newline survive a merge with later edits', async () => {
  const folder = new FolderFixture();
  const bytes = (middle: string, last: string): Buffer =>
    Buffer.from(
      `\u00ef\u00bb\u00bfone\r\n\u00ff\u00fe\ntwo\r\n${middle}\nthree\r\nfour\nfive\r\n${last}`,
      'latin1',
    );
  folder.write('a', bytes('old', 'end'));
  folder.commit();
  const stored = await folder.stores.of(folder.tree);
  const changes = await turn(stored, () => folder.write('a', bytes('new', 'end')));
  folder.write('a', bytes('new', 'by a person'));
  await revert(stored, changes);
  expect(readFileSync(join(folder.tree, 'a'))).toEqual(bytes('old', 'by a person'));
});

test('a revert follows no link that was put in the place of a folder, and makes nothing behind it', async () => {
  const folder = new FolderFixture();
  folder.write('deep/er/a', '1');
  folder.write('deep/er/b', '1');
  folder.commit();
  const outside = join(folder.path, 'outside');
  mkdirSync(join(outside, 'er'), { recursive: true });
  writeFileSync(join(outside, 'er', 'b'), '2');
  const stored = await folder.stores.of(folder.tree);
  const changes = await turn(stored, () => {
    folder.remove('deep/er/a');
    folder.write('deep/er/b', '2');
  });
  await stored.store.snapshot('');
  const { plans } = await planRevert(git, stored.store, [changes]);
  folder.remove('deep');
  symlinkSync(outside, join(folder.tree, 'deep'));
  const before = filesIn(outside);
  await expect(
    writeFiles(folder.tree, plans, { read: (id) => stored.store.read(id), temporary: '.agenthost-test.tmp' }),
  ).rejects.toMatchObject({
    name: 'FileChanged',
  });
  // The file behind the link has the recorded content, and is another file all the same.
  expect((await planRevert(git, stored.store, [changes])).conflicts).toEqual(['deep/er/b']);
  await expect(
    writeFiles(folder.tree, plans.slice(0, 1), {
      read: (id) => stored.store.read(id),
      temporary: '.agenthost-test.tmp',
    }),
  ).rejects.toMatchObject({ name: 'FileChanged' });
  expect(filesIn(outside)).toEqual(before);
});

test('a revert that cannot be finished is taken back', async () => {
  const folder = new FolderFixture();
  for (const name of ['a', 'b', 'c']) folder.write(name, '1');
  folder.commit();
  const stored = await folder.stores.of(folder.tree);
  const changes = await turn(stored, () => {
    for (const name of ['a', 'b', 'c']) folder.write(name, '2');
  });
  await stored.store.snapshot('');
  const { plans } = await planRevert(git, stored.store, [changes]);
  let reads = 0;
  const read = (id: string): Promise<Buffer> => {
    reads += 1;
    // Another program writes the last file while the others are written.
    if (reads === 2) folder.write('c', 'by a person');
    return stored.store.read(id);
  };
  await expect(
    writeFiles(folder.tree, plans, { read, temporary: '.agenthost-test.tmp' }),
  ).rejects.toMatchObject({
    name: 'FileChanged',
    path: 'c',
  });
  const now = ['a', 'b', 'c'].map((name) => readFileSync(join(folder.tree, name), 'utf8'));
  expect(now).toEqual(['2', '2', 'by a person']);
  expect(readdirSync(folder.tree).toSorted()).toEqual(['.git', 'a', 'b', 'c']);
});

test('a pipe in the place of a file is a conflict, and nothing waits for it', async () => {
  const folder = new FolderFixture();
  folder.write('a', '1');
  folder.commit();
  const stored = await folder.stores.of(folder.tree);
  const changes = await turn(stored, () => folder.write('a', '2'));
  folder.remove('a');
  execFileSync('mkfifo', [join(folder.tree, 'a')]);
  await stored.store.snapshot('');
  expect((await planRevert(git, stored.store, [changes])).conflicts).toEqual(['a']);
});

test('the store has the same size again when old records are dropped', async () => {
  const folder = new FolderFixture();
  folder.write('a', 'x\n'.repeat(1_000));
  const stored = await folder.stores.of(folder.tree);
  const { store } = stored;
  const records = new ChangeRecords(store);
  const sizes: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    for (let step = 0; step < 4; step += 1)
      await turn(stored, () => folder.write('a', execFileSync('head', ['-c', '40000', '/dev/urandom'])));
    await records.drop(Number.MAX_SAFE_INTEGER, () => Promise.resolve(false));
    await store.compact({ isForced: true, graceMs: 0 });
    sizes.push(sizeOf(join(store.folder.path, 'objects')) + sizeOf(join(store.folder.path, 'refs')));
  }
  expect(Math.max(...sizes)).toBeLessThan(100_000);
  expect(await records.list('c')).toEqual([]);
});

test('files that a killed host was writing are recorded by the next one', async () => {
  const folder = new FolderFixture();
  for (const name of ['a', 'b']) folder.write(name, '1');
  const stored = await folder.stores.of(folder.tree);
  const changes = await turn(stored, () => {
    for (const name of ['a', 'b']) folder.write(name, '2');
  });
  await stored.store.snapshot('');
  const { plans } = await planRevert(git, stored.store, [changes]);
  const back = plans.map(({ path, from, to }) => ({
    path,
    ...(from && { before: from }),
    ...(to && { after: to }),
  }));
  const record = { kind: 'revert', session: 's', chat: 'r', scope: '', startedAt: 1, shared: [] } as const;
  const records = new ChangeRecords(stored.store);
  // The first file is written, and then the host ends.
  const writes = join(stored.store.folder.path, 'writes');
  mkdirSync(writes);
  folder.write('a', '1');
  folder.write('.agenthost-x.tmp', 'half');
  const open = JSON.stringify({ writeId: 'x', plans, records: [{ ...record, changes: back }] });
  writeFileSync(join(writes, 'x.json'), open);
  await records.recoverWrites(5);
  expect(await records.list('r')).toMatchObject([{ isPartial: true, changes: [{ path: 'a' }] }]);
  expect(readdirSync(writes)).toEqual([]);
  expect(existsSync(join(folder.tree, '.agenthost-x.tmp'))).toBe(false);
  // It ended after the record was complete.
  writeFileSync(join(writes, 'x.json'), open);
  await records.recoverWrites(6);
  expect(await records.list('r')).toHaveLength(1);
  const [undo] = await records.list('r');
  await revert(stored, undo?.changes ?? []);
  expect(readFileSync(join(folder.tree, 'a'), 'utf8')).toBe('2');
});
