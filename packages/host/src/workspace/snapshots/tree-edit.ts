import type { Blob, TreeChange } from './tree-changes.ts';

/** An entry of a tree object. */
interface Entry {
  readonly mode: string;
  readonly id: string;
}

/** The entries of a folder, by name. Names are bytes, as `latin1`. */
type Entries = Map<string, Entry>;

const TREE = '40000';

/** The folders with changed files or folders in them, the deepest first; '' is the root. */
export function changedFolders(changes: readonly TreeChange[]): string[] {
  const folders = new Set<string>(['']);
  for (const { path } of changes)
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  const depthOf = (folder: string): number => (folder === '' ? 0 : folder.split('/').length);
  return [...folders].toSorted((a, b) => depthOf(b) - depthOf(a));
}

/**
 * The contents of the tree objects of changed folders after the changes, those of inner folders first. `contents`: the tree objects before, in
 * the order of `folders`; `undefined` for a new folder. `store` returns the id of a content.
 */
export function editTrees(
  changes: readonly TreeChange[],
  {
    folders,
    contents,
  }: { readonly folders: readonly string[]; readonly contents: readonly (Buffer | undefined)[] },
  { idBytes, store }: { readonly idBytes: number; store(content: Buffer): string },
): void {
  const byFolder = new Map(
    folders.map((folder, index) => [folder, parseTree(contents[index], idBytes)] as const),
  );
  const files = new Map<string, { readonly name: string; readonly after: Blob | undefined }[]>();
  for (const { path, after } of changes) {
    const { folder, name } = split(path);
    const list = files.get(folder) ?? [];
    if (list.length === 0) files.set(folder, list);
    list.push({ name, after });
  }
  for (const folder of folders) {
    const entries = byFolder.get(folder) ?? new Map();
    // Inner folders are complete already. A file may take the place of one of them.
    for (const { name, after } of files.get(folder) ?? []) {
      if (after !== undefined) entries.set(name, { mode: after.mode, id: after.id });
      else if (entries.get(name)?.mode !== TREE) entries.delete(name);
    }
    if (folder === '') {
      store(formatTree(entries));
      continue;
    }
    const { folder: above, name } = split(folder);
    const outer = byFolder.get(above) ?? new Map();
    if (entries.size > 0) outer.set(name, { mode: TREE, id: store(formatTree(entries)) });
    else if (outer.get(name)?.mode === TREE) outer.delete(name);
  }
}

function split(path: string): { readonly folder: string; readonly name: string } {
  const slash = path.lastIndexOf('/');
  return {
    folder: path.slice(0, Math.max(slash, 0)),
    name: Buffer.from(path.slice(slash + 1)).toString('latin1'),
  };
}

function parseTree(content: Buffer | undefined, idBytes: number): Entries {
  const entries: Entries = new Map();
  if (content === undefined) return entries;
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    if (space < 0 || end < 0) throw new Error('a tree of the store is damaged');
    const mode = content.toString('latin1', at, space);
    at = end + 1 + idBytes;
    entries.set(content.toString('latin1', space + 1, end), {
      mode,
      id: content.toString('hex', end + 1, at),
    });
  }
  return entries;
}

function formatTree(entries: Entries): Buffer {
  // The name of a folder counts as if a slash followed.
  const sorted = [...entries]
    .map(([name, entry]) => ({ name, entry, key: entry.mode === TREE ? `${name}/` : name }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return Buffer.concat(
    sorted.flatMap(({ name, entry: { mode, id } }) => [
      Buffer.from(`${mode} ${name}\0`, 'latin1'),
      Buffer.from(id, 'hex'),
    ]),
  );
}
