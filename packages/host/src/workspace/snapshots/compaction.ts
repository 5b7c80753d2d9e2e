import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, type StoreFolder } from './store-folder.ts';
import type { StoreCall } from './tree-index.ts';

/** Packs, and files of one of the 256 folders of loose objects, above which the store is compacted. */
const MAX_LOOSE_FOLDERS_SAMPLE = 12;
const MAX_PACKS = 40;

interface Parts {
  readonly folder: StoreFolder;
  text(args: readonly string[], call?: StoreCall): Promise<string>;
  /** Which of these objects are in the store itself. */
  own(ids: readonly string[]): Promise<string[]>;
}

/** Packs the content that the records and the index of a store need, and removes the rest that was written before a time, in ms since the epoch. */
export async function compactStore(parts: Parts, before: number): Promise<void> {
  const { folder, text } = parts;
  const packs = join(folder.path, 'objects', 'pack');
  const ids = await needed(parts);
  const present = await readdir(packs).catch(() => []);
  let kept = '';
  if (ids.length > 0)
    kept = await text(['pack-objects', '-q', '--delta-base-offset', join(packs, 'pack')], {
      input: `${ids.join('\n')}\n`,
    });
  for (const name of present)
    if (kept === '' || !name.includes(kept)) await folder.removeOld(join(packs, name), before);
  await folder.removeLoose(before);
  await text(['pack-refs', '--all', '--prune']);
}

/** The objects of the store that the records and the index need. */
async function needed({ folder, text, own }: Parts): Promise<string[]> {
  const referred = await text(['rev-list', '--objects', '--no-object-names', '--missing=allow-any', '--all']);
  const ids = new Set(referred.split('\n'));
  if (await exists(folder.index)) {
    const tree = await text(['write-tree', '--missing-ok']);
    ids.add(tree);
    for (const line of (await text(['ls-tree', '-r', '-t', tree])).split('\n'))
      ids.add(line.split(/[ \t]/)[2] ?? '');
  }
  ids.delete('');
  // Unchanged files of the index are only in the user's repository.
  return own([...ids]);
}

/** Whether a store has many files. A sample of one of the 256 folders of loose objects tells their number. */
export async function isFull(folder: StoreFolder): Promise<boolean> {
  const objects = join(folder.path, 'objects');
  const packs = (await readdir(join(objects, 'pack')).catch(() => [])).filter((name) =>
    name.endsWith('.pack'),
  );
  const sample = await readdir(join(objects, '17')).catch(() => []);
  return packs.length > MAX_PACKS || sample.length > MAX_LOOSE_FOLDERS_SAMPLE;
}
