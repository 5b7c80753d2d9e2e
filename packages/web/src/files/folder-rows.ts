import type { Folder } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import type { IgnoreRules } from './git-ignore.ts';

/** A folder that is read, with the rules of its `.gitignore` file. */
export type ReadFolder =
  | { readonly state: 'reading' }
  | { readonly state: 'read'; readonly folder: Folder; readonly rules: IgnoreRules | undefined }
  | { readonly state: 'failed'; readonly reason: string };

/** A row of the tree of files. Every key is unique. */
export type FolderRow =
  | {
      readonly kind: 'entry';
      readonly key: string;
      readonly uri: URI;
      readonly name: string;
      readonly depth: number;
      readonly isFolder: boolean;
      readonly isLink: boolean;
      readonly isOpen: boolean;
      readonly isIgnored: boolean;
    }
  | {
      readonly kind: 'note';
      readonly key: string;
      readonly depth: number;
      readonly note: 'reading' | 'empty' | 'more' | { readonly reason: string };
    };

interface RowOptions {
  readonly read: ReadonlyMap<URI, ReadFolder>;
  readonly open: ReadonlySet<URI>;
  /** Entries whose names begin with a dot. */
  readonly isHiddenShown: boolean;
  /** Entries that `.gitignore` names. */
  readonly isIgnoredShown: boolean;
}

/** Folders above, whose rules apply below: the path from each to the listed folder, with a slash at the end. */
type Above = readonly { readonly path: string; readonly rules: IgnoreRules }[];

/** The rows of a folder and of the open folders inside. */
export function folderRows(root: URI, options: RowOptions): FolderRow[] {
  const rows: FolderRow[] = [];
  addRows(rows, root, { ...options, depth: 0, above: [], isIgnored: false });
  return rows;
}

function addRows(
  rows: FolderRow[],
  uri: URI,
  at: RowOptions & { readonly depth: number; readonly above: Above; readonly isIgnored: boolean },
): void {
  const { read, open, isHiddenShown, isIgnoredShown, depth } = at;
  const found = read.get(uri) ?? { state: 'reading' as const };
  const note = (content: Extract<FolderRow, { kind: 'note' }>['note']): void => {
    rows.push({ kind: 'note', key: `note ${uri}`, depth, note: content });
  };
  if (found.state === 'reading') return note('reading');
  if (found.state === 'failed') return note({ reason: found.reason });
  const above: Above = found.rules === undefined ? at.above : [...at.above, { path: '', rules: found.rules }];
  let count = 0;
  for (const { name, uri: entry, isFolder, isLink } of found.folder.entries) {
    const isIgnored = at.isIgnored || name === '.git' || isIgnoredBy(above, name, isFolder);
    if ((isIgnored && !isIgnoredShown) || (name.startsWith('.') && !isHiddenShown)) continue;
    count += 1;
    const isOpen = isFolder && open.has(entry);
    rows.push({ kind: 'entry', key: entry, uri: entry, name, depth, isFolder, isLink, isOpen, isIgnored });
    if (!isOpen) continue;
    const inside = above.map(({ path, rules }) => ({ path: `${path}${name}/`, rules }));
    addRows(rows, entry, { ...at, depth: depth + 1, above: inside, isIgnored });
  }
  if (found.folder.hasMore) note('more');
  else if (count === 0) note('empty');
}

/** The rules of the nearest folder count first. */
function isIgnoredBy(above: Above, name: string, isFolder: boolean): boolean {
  for (const { path, rules } of above.toReversed()) {
    const answer = rules(`${path}${name}`, isFolder);
    if (answer !== undefined) return answer;
  }
  return false;
}
