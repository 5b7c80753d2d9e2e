import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FolderFixture } from './folder-fixture.ts';
import type { TreeStore } from './tree-store.ts';

/** The kinds of the objects that have a file of their own. */
async function looseKinds({
  folder,
  call,
}: {
  folder: { path: string };
  call: TreeStore['call'];
}): Promise<string[]> {
  const objects = join(folder.path, 'objects');
  const ids = readdirSync(objects)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((name) => readdirSync(join(objects, name)).map((rest) => name + rest));
  if (ids.length === 0) return [];
  const text = await call(['cat-file', '--batch-check=%(objecttype)'], ids.map((id) => `${id}\n`).join(''));
  return text.toString('utf8').trimEnd().split('\n');
}

const FOLDERS = 40;
const EACH = 5;
const nameOf = (folder: number, file: number): string => `a-${folder % 7}/b ${folder}/f\u00e9${file}`;

test.each([true, false])(
  'the trees of many changes are written together, and are those that git would write (git: %s)',
  async (isGit) => {
    const fixture = new FolderFixture();
    for (let folder = 0; folder < FOLDERS; folder += 1)
      for (let file = 0; file < EACH; file += 1) fixture.write(nameOf(folder, file), `${folder} ${file}\n`);
    fixture.write('file', '1');
    fixture.write('folder/inside', '1');
    fixture.write('folder-after', '1');
    if (isGit) fixture.commit();
    const { store, scope } = await fixture.stores.of(fixture.tree);
    await store.snapshot(scope);
    await store.watched();
    const start = await store.snapshot(scope);
    const kindsBefore = (
      await looseKinds({ folder: store.folder, call: (...args) => store.call(...args) })
    ).filter((kind) => kind === 'tree');

    for (let folder = 0; folder < FOLDERS; folder += 1)
      for (let file = 0; file < EACH - 1; file += 1) {
        if (folder % 10 === 3) fixture.remove(nameOf(folder, file));
        else fixture.write(nameOf(folder, file), `changed ${folder} ${file}\n`);
      }
    // Folders that are gone, that are new, that take the place of a file, and that a file replaces.
    for (const folder of [13, 23]) fixture.remove(nameOf(folder, EACH - 1));
    for (let file = 0; file < 70; file += 1) fixture.write(`new/deep/${file}`, 'new\n');
    fixture.remove('file');
    fixture.write('file/inside', '2');
    fixture.remove('folder');
    fixture.write('folder', '2');
    const end = await store.snapshot(scope);
    const kinds = await looseKinds({ folder: store.folder, call: (...args) => store.call(...args) });
    expect(kinds.filter((kind) => kind === 'tree')).toEqual(kindsBefore);

    const changes = await store.difference(start.tree, end.tree, scope);
    // The other way round it is no step that the store knows.
    const again = (await store.difference(end.tree, start.tree, scope)).map(({ path, before, after }) => ({
      path,
      ...(after && { before: after }),
      ...(before && { after: before }),
    }));
    const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1);
    expect(changes.toSorted(byPath)).toEqual(again.toSorted(byPath));
    const of = (path: string): string =>
      changes
        .filter((change) => change.path === path)
        .map(({ before, after }) => `${before === undefined ? '' : '-'}${after === undefined ? '' : '+'}`)
        .join();
    expect(['file', 'file/inside', 'folder', 'folder/inside', 'new/deep/69'].map(of)).toEqual([
      '-',
      '+',
      '+',
      '-',
      '+',
    ]);
    expect(of(nameOf(13, EACH - 1))).toBe('-');
    expect(of(nameOf(0, EACH - 1))).toBe('');
    expect(changes).toHaveLength(FOLDERS * (EACH - 1) + 2 + 70 + 4);
  },
);
