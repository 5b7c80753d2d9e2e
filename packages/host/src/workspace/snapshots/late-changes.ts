import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { tolerant } from '../tolerant.ts';
import type { Blob, TreeChange } from './tree-changes.ts';

/** Coarseness of file times, in ms. */
const SLACK_MS = 20;

/** The present time as files show it, in ms. */
export const fileTime = (): number => Date.now() - SLACK_MS;

/**
 * Those changes of a snapshot that were made from `moment` on, while it was read. `times`: the time of each file's last change before it was read,
 * in ms. `committed`: files of the user's commit at `moment` that the snapshot before did not have. Any other new file counts only if it was made
 * since, or if it is a removed file under another name, because otherwise its content before is not known.
 */
export async function lateChanges(
  root: string,
  changes: readonly TreeChange[],
  {
    moment,
    times,
    committed,
  }: {
    readonly moment: number;
    readonly times: ReadonlyMap<string, number>;
    committed(): Promise<ReadonlyMap<string, Blob>>;
  },
): Promise<TreeChange[]> {
  const late: TreeChange[] = [];
  const appeared: { readonly change: TreeChange; readonly isMade: boolean }[] = [];
  const removed = new Set<string>();
  for (const change of changes) {
    const { path, before } = change;
    const stats = await tolerant(() => lstat(join(root, path)));
    if (stats === undefined) {
      if ((await folderTime(root, path)) < moment) continue;
      late.push(change);
      if (before !== undefined) removed.add(before.id);
      continue;
    }
    const read = times.get(path);
    const isUnchanged = read === stats.ctimeMs && read < moment;
    if (isUnchanged || stats.ctimeMs < moment) continue;
    if (before === undefined) appeared.push({ change, isMade: stats.birthtimeMs >= moment });
    else late.push(change);
  }
  if (appeared.length === 0) return late;
  // Git and many editors write a file anew, so a new file is not always one that was not there.
  const known = await committed();
  for (const { change, isMade } of appeared) {
    const before = known.get(change.path);
    if (before !== undefined) late.push({ ...change, before });
    else if (isMade || (change.after !== undefined && removed.has(change.after.id))) late.push(change);
  }
  return late;
}

/** The time of the last change in the folder of a removed file, or in the deepest one that there is. */
async function folderTime(root: string, path: string): Promise<number> {
  for (let at = dirname(path); ; at = dirname(at)) {
    const stats = await tolerant(() => lstat(join(root, at)));
    if (stats !== undefined) return stats.ctimeMs;
    if (at === '.') return 0;
  }
}
