import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FolderFixture } from './folder-fixture.ts';
import { changedIgnored, changedLeftOut, type LeftOutFile, named, together } from './left-out.ts';

const large = (path: string): LeftOutFile => ({ path, reason: 'large' });
const many = (count: number, prefix = ''): LeftOutFile[] =>
  Array.from({ length: count }, (_, index) => large(`${prefix}${String(index).padStart(3, '0')}`));

it('[CS-3] fifty left-out files are named in order, and all are counted once', () => {
  const found = named([...many(60).toReversed(), large('000')]);
  expect(found.count).toBe(60);
  expect(found.files).toEqual(many(50));
});

it('[CS-3] a file that several records leave out is counted once, and files without names at least once', () => {
  expect(together([named([large('a')]), named([large('a'), large('b')])])).toEqual({
    count: 2,
    files: [large('a'), large('b')],
  });
  expect(together([named(many(60)), named(many(70))]).count).toBe(70);
  expect(together([])).toEqual({ count: 0, files: [] });
});

it('[CS-3] a large repository inside of the folder may always have changed, one of caches not', async () => {
  const folder = new FolderFixture();
  for (const name of ['small', 'caches', 'huge']) {
    folder.write(`${name}/file`, '1\n');
    folder.git(['init', '-q'], name);
  }
  for (let at = 0; at < 12; at += 1) {
    folder.write(`caches/node_modules/${at}`, '');
    mkdirSync(join(folder.tree, 'huge', String(at)));
  }
  const after = ['small', 'caches', 'huge'].map((path) => ({ path, reason: 'repository' }) as const);
  const changed = async (since: number): Promise<string[]> =>
    (await changedLeftOut(folder.tree, { before: [], after, since, maxEntries: 10 })).map(({ path }) => path);
  expect(await changed(Number.MAX_SAFE_INTEGER)).toEqual(['huge']);
  expect(await changed(0)).toEqual(['small', 'caches', 'huge']);
});

it('[CS-3] files that a tool call names are ignored by the rules of the record, only in its folder', async () => {
  const folder = new FolderFixture();
  const files = ['in/a.log', 'in/b', 'in/node_modules/c', 'in/*', 'out/d.log'];
  folder.write('.gitignore', '*.log\n');
  folder.commit();
  for (const path of files) folder.write(path, '1\n');
  const { store } = await folder.stores.of(folder.tree);
  await store.snapshot('');
  const paths = [...files, 'in/gone.log', '../outside'].map((path) => join(folder.tree, path));
  const ignored = await changedIgnored(store, paths, { scope: 'in', since: 0 });
  expect(ignored).toEqual([
    { path: 'in/a.log', reason: 'ignored' },
    { path: 'in/node_modules/c', reason: 'ignored' },
  ]);
  expect(await changedIgnored(store, paths, { scope: 'in', since: Number.MAX_SAFE_INTEGER })).toEqual([]);
});
