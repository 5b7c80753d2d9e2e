import { join } from 'node:path';
import type { ChangesetFile, ChangesetLeftOut, FileEdit } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { contentTypeOf } from '../../workspace/content-types.ts';
import { fileUriOf } from '../../workspace/file-uri.ts';
import type { Blob, CountedChange } from '../../workspace/snapshots/tree-changes.ts';
import type { BlobUris } from './blob-uris.ts';
import type { FolderChanges } from './source.ts';

/** Files that are named as left out. */
const MAX_LEFT_OUT = 50;

/** The changed files of a folder as a changeset shows them, in order of their paths [CS-3]. */
export async function changedFiles(
  { store, counted, shared, status }: FolderChanges,
  uris: BlobUris,
): Promise<ChangesetFile[]> {
  const ids = counted.flatMap(({ before, after }) => [before, after].flatMap((blob) => blob?.id ?? []));
  const sizes = await store.knownSizes([...new Set(ids)]);
  const versionOf = (path: string, blob: Blob | undefined, isText: boolean): FileEdit['before'] => {
    if (blob === undefined) return undefined;
    const uri = fileUriOf(join(store.root, path));
    return {
      uri,
      content: {
        uri: uris.uriOf(store.id, blob.id, uri.slice(uri.lastIndexOf('/') + 1)),
        ...defined({ sizeHint: sizes.get(blob.id) }),
        contentType: contentTypeOf(path, isText),
      },
    };
  };
  return counted
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map((change) => {
      const { path, from, before, after, lines } = change;
      const isText = lines !== undefined;
      const edit: FileEdit = defined({
        before: versionOf(from ?? path, before, isText),
        after: versionOf(path, after, isText),
        diff: lines,
      });
      const isShared = shared.has(path) || (from !== undefined && shared.has(from));
      const _meta = metaOf(change, { isShared, staged: stagedOf(change, status) });
      return { id: fileUriOf(join(store.root, path)), edit, ...defined({ _meta }) };
    });
}

/** The files that folders leave out. `undefined`: none. */
export function leftOutFiles(folders: readonly FolderChanges[]): ChangesetLeftOut | undefined {
  const count = folders.reduce((sum, { leftOut }) => sum + leftOut.count, 0);
  if (count === 0) return undefined;
  const files = folders.flatMap(({ store, leftOut }) =>
    leftOut.files.map(({ path, reason }) => ({ uri: fileUriOf(join(store.root, path)), reason })),
  );
  return { count, files: files.slice(0, MAX_LEFT_OUT) };
}

/** Modes where one of them is not that of an ordinary file, whether another turn may have made the change, and whether git has it staged. */
function metaOf(
  { before, after }: CountedChange,
  { isShared, staged }: { readonly isShared: boolean; readonly staged: 'all' | 'part' | undefined },
): Record<string, unknown> | undefined {
  const modes = [before?.mode, after?.mode];
  const isOrdinary = modes.every((mode) => mode === undefined || mode === '100644');
  const meta = {
    ...(isOrdinary ? {} : { modes: defined({ before: before?.mode, after: after?.mode }) }),
    ...(isShared ? { isShared } : {}),
    ...defined({ staged }),
  };
  return Object.keys(meta).length === 0 ? undefined : meta;
}

/** How much of a change is in the index: all of it, a part, or nothing (`undefined`). A renamed file has two paths. */
function stagedOf(
  { path, from }: CountedChange,
  status: FolderChanges['status'],
): 'all' | 'part' | undefined {
  const entries = [path, from].flatMap((each) => (each === undefined ? [] : (status?.get(each) ?? [])));
  if (!entries.some(({ isStaged }) => isStaged)) return undefined;
  return entries.every(({ isStaged, isUnstaged }) => isStaged && !isUnstaged) ? 'all' : 'part';
}
