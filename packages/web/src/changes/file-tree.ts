import type { ChangedFile } from './file-status.ts';

/** A row of the tree of changed files. */
export type TreeRow =
  | {
      readonly kind: 'folder';
      /** Unique among folders. */
      readonly path: string;
      /** One segment, or several when a folder has no other entry. */
      readonly name: string;
      readonly depth: number;
      readonly fileCount: number;
      readonly isOpen: boolean;
    }
  | { readonly kind: 'file'; readonly file: ChangedFile; readonly name: string; readonly depth: number };

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: { readonly name: string; readonly file: ChangedFile }[];
}

const newFolder = (): Folder => ({ folders: new Map(), files: [] });

/** The files whose path contains all words of a filter. */
export function matchingFiles(files: readonly ChangedFile[], filter: string): readonly ChangedFile[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return files;
  return files.filter(({ path }) => words.every((word) => path.toLowerCase().includes(word)));
}

/** The rows of the tree: folders first, each kind by name; `closed` has the paths of closed folders. */
export function treeRows(files: readonly ChangedFile[], closed: ReadonlySet<string>): TreeRow[] {
  const root = newFolder();
  for (const file of files) {
    const parts = file.path.split('/');
    let at = root;
    for (const part of parts.slice(0, -1)) {
      const next = at.folders.get(part) ?? newFolder();
      at.folders.set(part, next);
      at = next;
    }
    at.files.push({ name: parts.at(-1) ?? file.path, file });
  }
  const rows: TreeRow[] = [];
  addRows(rows, root, { path: '', depth: 0, closed });
  return rows;
}

function addRows(
  rows: TreeRow[],
  folder: Folder,
  at: { readonly path: string; readonly depth: number; readonly closed: ReadonlySet<string> },
): void {
  for (const [first, child] of sorted(folder.folders)) {
    let [name, inner] = [first, child];
    // A chain of folders with one entry each is one row.
    while (inner.files.length === 0 && inner.folders.size === 1) {
      const [only] = inner.folders;
      if (only === undefined) break;
      name = `${name}/${only[0]}`;
      inner = only[1];
    }
    const path = at.path === '' ? name : `${at.path}/${name}`;
    const isOpen = !at.closed.has(path);
    rows.push({ kind: 'folder', path, name, depth: at.depth, fileCount: countOf(inner), isOpen });
    if (isOpen) addRows(rows, inner, { ...at, path, depth: at.depth + 1 });
  }
  for (const { name, file } of folder.files.toSorted((a, b) => compare(a.name, b.name)))
    rows.push({ kind: 'file', file, name, depth: at.depth });
}

const sorted = (folders: ReadonlyMap<string, Folder>): [string, Folder][] =>
  Array.from(folders).toSorted(([a], [b]) => compare(a, b));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function countOf({ files, folders }: Folder): number {
  let count = files.length;
  for (const child of folders.values()) count += countOf(child);
  return count;
}

/** The files in the order in which the tree shows them. */
export const filesInOrder = (files: readonly ChangedFile[]): ChangedFile[] =>
  treeRows(files, new Set()).flatMap((row) => (row.kind === 'file' ? [row.file] : []));
