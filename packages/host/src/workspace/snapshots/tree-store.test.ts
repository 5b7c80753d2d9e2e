import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FolderFixture } from './folder-fixture.ts';
import type { StoredFolder } from './stores.ts';
import type { TreeStore } from './tree-store.ts';

/** The changes of `work`, as `path: before → after` with modes. */
async function changesOf(
  { store, scope }: StoredFolder,
  work: () => void,
): Promise<Record<string, [string | undefined, string | undefined]>> {
  const before = await store.snapshot(scope);
  work();
  const after = await store.snapshot(scope);
  const changes = await store.difference(before.tree, after.tree, scope);
  const shown = changes.map(async ({ path, before: old, after: now }) => [
    path,
    [await contentOf(store, old), await contentOf(store, now)],
  ]);
  return Object.fromEntries(await Promise.all(shown));
}

async function contentOf(
  store: TreeStore,
  blob: { mode: string; id: string } | undefined,
): Promise<string | undefined> {
  if (blob === undefined) return undefined;
  return `${blob.mode.slice(3)} ${(await store.read(blob.id)).toString('latin1')}`;
}

/** Names and contents of all files of a repository, with modification times. */
function stateOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const stats = lstatSync(join(folder, name));
      return stats.isFile()
        ? `${name} ${stats.mtimeMs} ${readFileSync(join(folder, name)).toString('hex').slice(0, 2_000)}`
        : name;
    });
}

describe.each(['in a git repository', 'outside of git'])('%s', (where) => {
  const isGit = where === 'in a git repository';

  test('a snapshot has the exact bytes, modes and links of changed, new and deleted files', async () => {
    const folder = new FolderFixture();
    folder.write('crlf.txt', 'a\r\nb\r\n');
    folder.write('bom.txt', Buffer.from('\ufeffa', 'utf8'));
    folder.write('binary', Buffer.from([0, 255, 254, 10, 0]));
    folder.write('gone/deep/old.txt', 'old');
    folder.write('run.sh', '#!/bin/sh\n');
    folder.write('same.txt', 'same');
    symlinkSync('same.txt', join(folder.tree, 'link'));
    if (isGit) folder.commit();
    const changes = await changesOf(await folder.stores.of(folder.tree), () => {
      folder.write('crlf.txt', 'a\r\nc\r\n');
      folder.write('bom.txt', Buffer.from('\ufeffb', 'utf8'));
      folder.write('binary', Buffer.from([0, 255, 10, 13, 10]));
      folder.remove('gone');
      folder.write('new/file', 'no final newline');
      chmodSync(join(folder.tree, 'run.sh'), 0o755);
      rmSync(join(folder.tree, 'link'));
      symlinkSync('nowhere', join(folder.tree, 'link'));
    });
    const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
    expect(changes).toEqual({
      'crlf.txt': ['644 a\r\nb\r\n', '644 a\r\nc\r\n'],
      'bom.txt': [`644 ${utf8('\ufeffa')}`, `644 ${utf8('\ufeffb')}`],
      binary: ['644 \0\xff\xfe\n\0', '644 \0\xff\n\r\n'],
      'gone/deep/old.txt': ['644 old', undefined],
      'new/file': [undefined, '644 no final newline'],
      'run.sh': ['644 #!/bin/sh\n', '755 #!/bin/sh\n'],
      link: ['000 same.txt', '000 nowhere'],
    });
  });

  test('attributes of the tree convert nothing', async () => {
    const folder = new FolderFixture();
    folder.write(
      '.gitattributes',
      '* text=auto eol=lf\n*.bin filter=lfs diff=lfs -text\n*.u16 working-tree-encoding=UTF-16\n',
    );
    folder.write('a.txt', 'a\n');
    folder.write('p.bin', 'version https://git-lfs.github.com/spec/v1\n');
    if (isGit) folder.commit();
    const changes = await changesOf(await folder.stores.of(folder.tree), () => {
      folder.write('a.txt', 'a\r\n');
      folder.write('p.bin', 'the real bytes');
      folder.write('x.u16', 'not utf-16');
    });
    expect(changes).toEqual({
      'a.txt': ['644 a\n', '644 a\r\n'],
      'p.bin': ['644 version https://git-lfs.github.com/spec/v1\n', '644 the real bytes'],
      'x.u16': [undefined, '644 not utf-16'],
    });
  });

  test('a repository inside of the tree, with or without a commit, is left out and named', async () => {
    const folder = new FolderFixture();
    if (isGit) folder.commit();
    mkdirSync(join(folder.tree, 'empty'));
    folder.git(['init', '-q'], 'empty');
    folder.write('empty/file', 'a');
    mkdirSync(join(folder.tree, 'full'));
    folder.git(['init', '-q'], 'full');
    folder.git(['commit', '-q', '--allow-empty', '-m', 'x'], 'full');
    folder.write('full/file', 'a');
    const stored = await folder.stores.of(folder.tree);
    expect(await changesOf(stored, () => folder.write('full/file', 'b'))).toEqual({});
    const { skipped } = await stored.store.snapshot(stored.scope);
    expect(skipped).toEqual(
      expect.arrayContaining([
        { path: 'empty', reason: 'repository' },
        { path: 'full', reason: 'repository' },
      ]),
    );
  });

  test('large, ignored and private files and caches are left out', async () => {
    const folder = new FolderFixture({ maxFileBytes: 100 });
    folder.write('.gitignore', 'ignored\n');
    if (isGit) folder.commit();
    const stored = await folder.stores.of(folder.tree);
    const changes = await changesOf(stored, () => {
      folder.write('ignored', 'a');
      folder.write('node_modules/a/index.js', 'a');
      folder.write('large', 'a'.repeat(101));
      folder.write('small', 'a'.repeat(100));
    });
    expect(Object.keys(changes)).toEqual(['small']);
    expect((await stored.store.snapshot('')).skipped).toEqual([{ path: 'large', reason: 'large' }]);
  });

  test('a file becomes a folder, and a folder becomes a file', async () => {
    const folder = new FolderFixture();
    folder.write('a', 'file');
    folder.write('b/c', 'file');
    if (isGit) folder.commit();
    const changes = await changesOf(await folder.stores.of(folder.tree), () => {
      folder.remove('a');
      folder.write('a/b', 'deep');
      folder.remove('b');
      folder.write('b', 'flat');
    });
    expect(changes).toEqual({
      a: ['644 file', undefined],
      'a/b': [undefined, '644 deep'],
      b: [undefined, '644 flat'],
      'b/c': ['644 file', undefined],
    });
  });
});

test('a working directory below the root of a repository has only its own changes', async () => {
  const folder = new FolderFixture();
  folder.write('.gitignore', '*.log\n');
  folder.write('app/a', '1');
  folder.write('lib/b', '1');
  folder.commit();
  const stored = await folder.stores.of(join(folder.tree, 'app'));
  expect(stored.scope).toBe('app');
  const changes = await changesOf(stored, () => {
    folder.write('app/a', '2');
    folder.write('app/x.log', 'ignored by the root');
    folder.write('lib/b', '2');
  });
  expect(changes).toEqual({ 'app/a': ['644 1', '644 2'] });
});

test('a snapshot writes nothing into the repository of the user, whatever its configuration', async () => {
  const folder = new FolderFixture();
  folder.write('a', '1');
  folder.commit();
  for (const [key, value] of [
    ['commit.gpgsign', 'true'],
    ['gpg.program', '/nonexistent'],
    ['core.autocrlf', 'true'],
    ['core.fsmonitor', `touch ${join(folder.path, 'ran')}`],
    ['filter.x.clean', `touch ${join(folder.path, 'ran')}; cat`],
    ['filter.x.required', 'true'],
  ])
    folder.git(['config', key ?? '', value ?? '']);
  folder.write('.git/hooks/post-index-change', `#!/bin/sh\ntouch ${join(folder.path, 'ran')}\n`);
  chmodSync(join(folder.tree, '.git/hooks/post-index-change'), 0o755);
  folder.write('.gitattributes', 'a filter=x\n');
  folder.write('a', '22');
  const before = stateOf(join(folder.tree, '.git'));
  const { store } = await folder.stores.of(folder.tree);
  const { tree } = await store.snapshot('');
  const head = await store.head('');
  expect([...(head?.changed.keys() ?? [])].toSorted()).toEqual(['.gitattributes', 'a']);
  expect(await store.difference(head?.tree ?? '', tree)).toHaveLength(2);
  expect(stateOf(join(folder.tree, '.git'))).toEqual(before);
  expect(readdirSync(folder.path)).not.toContain('ran');
});

test('submodules and linked worktrees are trees of their own', async () => {
  const folder = new FolderFixture();
  folder.write('a', '1');
  folder.commit();
  folder.git(['worktree', 'add', '-q', '../linked', '-b', 'other']);
  folder.git(['-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', folder.tree, 'sub']);
  folder.git(['commit', '-q', '-m', 'sub']);
  const linked = await folder.stores.of(join(folder.path, 'linked'));
  expect(await changesOf(linked, () => writeFileSync(join(folder.path, 'linked', 'a'), '2'))).toEqual({
    a: ['644 1', '644 2'],
  });
  const sub = await folder.stores.of(join(folder.tree, 'sub'));
  expect(await changesOf(sub, () => folder.write('sub/a', '3'))).toEqual({ a: ['644 1', '644 3'] });
  const main = await folder.stores.of(folder.tree);
  expect(
    await changesOf(main, () => {
      folder.write('sub/a', '4');
      folder.git(['commit', '-q', '-am', 'moved', '--allow-empty'], 'sub');
    }),
  ).toEqual({});
  expect(new Set([linked, sub, main].map(({ store }) => store.id)).size).toBe(3);
});

test('kept changes outlive the objects of the user, and compaction removes the rest', async () => {
  const folder = new FolderFixture();
  folder.write('a', 'first');
  folder.write('b', 'other');
  folder.commit();
  const { store } = await folder.stores.of(folder.tree);
  const before = await store.snapshot('');
  folder.write('a', 'second');
  const after = await store.snapshot('');
  const changes = await store.difference(before.tree, after.tree);
  await store.keep(changes);
  const pair = await store.pairOf(changes);
  for (const [name, id] of Object.entries(pair))
    await store.call(['update-ref', `refs/changes/x/${name}`, id]);
  folder.write('junk', 'junk');
  await store.snapshot('');
  folder.remove('junk');
  await store.snapshot('');
  rmSync(join(folder.tree, '.git', 'objects'), { recursive: true });
  mkdirSync(join(folder.tree, '.git', 'objects'));
  expect(await store.compact({ isForced: true, graceMs: 0 })).toBe(true);
  expect(await store.counted(pair)).toMatchObject([{ path: 'a', lines: { added: 1, removed: 1 } }]);
  expect(await Promise.all(changes.map((change) => contentOf(store, change.before)))).toEqual(['644 first']);
  const objects = join(store.folder.path, 'objects');
  const loose = readdirSync(objects).filter((name) => name.length === 2);
  expect(loose.flatMap((name) => readdirSync(join(objects, name)))).toEqual([]);
  expect(readdirSync(join(objects, 'pack')).filter((name) => name.endsWith('.pack'))).toHaveLength(1);
  // The tree is still recorded after it.
  folder.write('a', 'third');
  const { tree } = await store.snapshot('');
  expect(await store.difference(pair.after, tree)).toHaveLength(2);
});

test('a tree that is too large is refused, and not looked at again at once', async () => {
  const folder = new FolderFixture({ maxFiles: 3 });
  for (const name of ['a', 'b', 'c', 'd']) folder.write(name, name);
  const { store } = await folder.stores.of(folder.tree);
  await expect(store.snapshot('')).rejects.toMatchObject({ code: 'tooLarge' });
  folder.remove('d');
  await expect(store.snapshot('')).rejects.toMatchObject({ code: 'tooLarge' });
});

test('a damaged index, a lock of a killed host and a half-made store are repaired', async () => {
  const folder = new FolderFixture();
  folder.write('a', '1');
  const first = await folder.stores.of(folder.tree);
  const { tree } = await first.store.snapshot('');
  const { path, index } = first.store.folder;
  writeFileSync(index, 'garbage');
  expect((await first.store.snapshot('')).tree).toBe(tree);
  await folder.stores.close();
  writeFileSync(`${index}.lock`, '');
  expect(statSync(path).isDirectory()).toBe(true);
  // A host that starts later.
  const { TreeStores } = await import('./stores.ts');
  const { Git } = await import('../git/git.ts');
  const snapshot = async (): Promise<string> => {
    const stores = new TreeStores(join(folder.path, 'data', 'trees'), {
      git: new Git(),
      now: () => 0,
      isPrivate: () => false,
    });
    const { store } = await stores.of(folder.tree);
    const { tree: recorded } = await store.snapshot('');
    await stores.close();
    return recorded;
  };
  expect(await snapshot()).toBe(tree);
  rmSync(join(path, 'ready'));
  rmSync(join(path, 'HEAD'));
  expect(await snapshot()).toBe(tree);
});

test('without a git program nothing is recorded', async () => {
  const { Git } = await import('../git/git.ts');
  const git = new Git({ program: '/nonexistent/git' });
  expect(await git.version()).toBeUndefined();
});
