import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../git/git.ts';
import { BlobReader } from './blob-reader.ts';
import { type LineRange, mergeThree, parseHunks, selectedPart, withoutHunks } from './three-way.ts';
import { type Blob, isSameBlob, type TreeChange } from './tree-changes.ts';
import type { TreeStore } from './tree-store.ts';
import { type FileChangePlan, versionOnDisk } from './write-files.ts';

/** The plan of a revert. With a conflict, nothing is to be written. */
export interface RevertPlan {
  readonly plans: readonly FileChangePlan[];
  /** Paths whose present content does not allow it. */
  readonly conflicts: readonly string[];
}

/**
 * Plans to take back successive changes, the last one first. Other changes of the same files stay: each change is taken out of the present
 * content by a three-way merge.
 */
export async function planRevert(
  git: Git,
  store: TreeStore,
  steps: readonly (readonly TreeChange[])[],
  isWanted: (path: string) => boolean = () => true,
): Promise<RevertPlan> {
  const wanted = [...chainsOf(steps)].filter(([path]) => isWanted(path));
  const present = await presentVersions(
    store,
    wanted.map(([path]) => path),
  );
  const all = wanted.map(([path, changes]): Reverted => {
    const from = present.get(path);
    const to = from === 'folder' ? folderAsFile(changes) : from === 'other' ? 'conflict' : from;
    return { path, from, to, left: changes };
  });
  for (let merges = all.flatMap(advance); merges.length > 0; merges = all.flatMap(advance))
    await mergeAll(git, store, merges);
  const plans = all.flatMap(({ path, from, to }): FileChangePlan[] =>
    to === 'conflict' ? [] : [{ path, ...(typeof from === 'object' && { from }), ...(to && { to }) }],
  );
  return { plans, conflicts: all.flatMap(({ path, to }) => (to === 'conflict' ? [path] : [])) };
}

/** A file whose changes are taken back one after the other. */
interface Reverted {
  readonly path: string;
  readonly from: Present;
  /** The version without the changes that were taken back so far. */
  to: Blob | 'conflict' | undefined;
  /** The changes that are left to take back, the first one first. */
  readonly left: TreeChange[];
}

/** The file, link or folder at a path. */
type Present = Blob | 'folder' | 'other' | undefined;

/** A change that only a merge of contents takes back. */
interface Merge {
  readonly file: Reverted;
  readonly current: Blob;
  readonly base: Blob;
  readonly other: Blob;
  /** The mode of the outcome. */
  readonly mode: string;
}

/** Takes changes of a file back, the last one first, up to one that needs a merge. */
function advance(file: Reverted): Merge[] {
  for (let change = file.left.pop(); change !== undefined; change = file.left.pop()) {
    if (file.to === 'conflict') return [];
    const next = takeBack(file.to, change);
    if (typeof next === 'object' && 'base' in next) return [{ file, ...next }];
    file.to = next;
  }
  return [];
}

/** Merges run at the same time: each one is a process. */
const MERGES_AT_ONCE = 4;

async function mergeAll(git: Git, store: TreeStore, merges: readonly Merge[]): Promise<void> {
  const contents = new BlobReader(
    store,
    merges.flatMap(({ current, base, other }) => [current.id, base.id, other.id]),
  );
  for (let at = 0; at < merges.length; at += MERGES_AT_ONCE) {
    const some = [];
    for (const { current, base, other, ...merge } of merges.slice(at, at + MERGES_AT_ONCE)) {
      const versions = {
        current: await contents.read(current.id),
        base: await contents.read(base.id),
        other: await contents.read(other.id),
      };
      some.push({ ...merge, versions });
    }
    await Promise.all(
      some.map(async ({ file, mode, versions }) => {
        const merged = await mergeThree(git, store.folder.scratch, versions);
        file.to = merged === undefined ? 'conflict' : { id: await store.write(merged), mode };
      }),
    );
  }
}

/** Plans to take back the changed lines of a text that are in a range of one of its versions (`selectedPart`). `undefined`: none is. */
export async function planRangeRevert(
  git: Git,
  store: TreeStore,
  { path, before, after }: TreeChange,
  { side, ...range }: LineRange & { readonly side: 'before' | 'after' },
): Promise<RevertPlan | undefined> {
  if (before === undefined || after === undefined || before.id === after.id) return undefined;
  const hunks = parseHunks(await store.hunks(before.id, after.id)).flatMap(
    (hunk) => selectedPart(hunk, side, range) ?? [],
  );
  if (hunks.length === 0) return undefined;
  const from = (await presentVersions(store, [path])).get(path);
  if (typeof from !== 'object') return { plans: [], conflicts: [path] };
  const contents = new BlobReader(store, [before.id, after.id, from.id]);
  const [old, base, current] = [
    await contents.read(before.id),
    await contents.read(after.id),
    await contents.read(from.id),
  ];
  const merged = await mergeThree(git, store.folder.scratch, {
    current,
    base,
    other: withoutHunks(old, base, hunks),
  });
  if (merged === undefined) return { plans: [], conflicts: [path] };
  return { plans: [{ path, from, to: { id: await store.write(merged), mode: from.mode } }], conflicts: [] };
}

/** The changes of each path, in order. Changes that follow on each other without another one between are joined. */
function chainsOf(steps: readonly (readonly TreeChange[])[]): Map<string, TreeChange[]> {
  const chains = new Map<string, TreeChange[]>();
  for (const { path, before, after } of steps.flat()) {
    const chain = chains.get(path) ?? [];
    chains.set(path, chain);
    const last = chain.at(-1);
    const isNext = last !== undefined && isSameBlob(last.after, before);
    if (isNext) chain.pop();
    const first = isNext ? last.before : before;
    if (!isSameBlob(first, after))
      chain.push({ path, ...(first && { before: first }), ...(after && { after }) });
  }
  return chains;
}

/** A folder in the place of a file counts as no file if the last change removed the file. */
const folderAsFile = (changes: readonly TreeChange[]): undefined | 'conflict' =>
  changes.at(-1)?.after === undefined ? undefined : 'conflict';

/** Files that are read at the same time. */
const FILES_AT_ONCE = 32;

/** The versions on disk, with their contents in the store. */
async function presentVersions(
  store: TreeStore,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Present>> {
  const format = await store.format();
  const found = new Map<string, Present>();
  for (let at = 0; at < paths.length; at += FILES_AT_ONCE)
    await Promise.all(
      paths
        .slice(at, at + FILES_AT_ONCE)
        .map(async (path) => found.set(path, await versionOnDisk(store.root, path, format))),
    );
  const versions = [...found].flatMap(([path, blob]) => (typeof blob === 'object' ? [{ path, blob }] : []));
  const known = await store.sizes([...new Set(versions.map(({ blob }) => blob.id))]);
  for (const { path, blob } of versions) {
    if (known.has(blob.id)) continue;
    const full = join(store.root, path);
    const bytes =
      blob.mode === '120000' ? await readlink(full, { encoding: 'buffer' }) : await readFile(full);
    found.set(path, { mode: blob.mode, id: await store.write(bytes) });
  }
  return found;
}

/** The version without a change, or the merge that makes it. */
function takeBack(
  current: Blob | undefined,
  { before, after }: TreeChange,
): Blob | undefined | 'conflict' | Omit<Merge, 'file'> {
  if (isSameBlob(current, after)) return before;
  if (isSameBlob(current, before)) return current;
  // A file that one side lacks, or a link, cannot be merged.
  if (current === undefined || before === undefined || after === undefined) return 'conflict';
  if ([current, before, after].some(({ mode }) => mode === '120000')) return 'conflict';
  const mode = before.mode !== after.mode && current.mode === after.mode ? before.mode : current.mode;
  if (before.id === after.id || current.id === before.id) return { id: current.id, mode };
  if (current.id === after.id) return { id: before.id, mode };
  return { current, base: after, other: before, mode };
}
