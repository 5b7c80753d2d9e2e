import type { ChangesetFile, URI } from '@agenthost/protocol';
import { pathOf } from '../text/file-path.ts';

/** How a file changed. */
export type FileStatus = 'added' | 'deleted' | 'renamed' | 'changed';

/** A changed file for display. */
export interface ChangedFile {
  readonly file: ChangesetFile;
  readonly id: string;
  /** The URI after the change, or before it for a deleted file. */
  readonly uri: URI;
  /** Below the working directory; the whole path for files outside of it. */
  readonly path: string;
  /** The path before a rename. */
  readonly from: string | undefined;
  readonly status: FileStatus;
  /** Octal modes, when the mode changed. */
  readonly modes: { readonly before: string; readonly after: string } | undefined;
  /** No counts of lines: the content is no text. */
  readonly isBinary: boolean;
  /** Whether another turn may have made the change. */
  readonly isShared: boolean;
  /** Absent: nothing of it is staged. */
  readonly staged: 'all' | 'part' | undefined;
}

/** Reads the facts of a changed file. `root`: URI of the working directory. */
export function changedFile(file: ChangesetFile, root: URI | undefined): ChangedFile {
  const { before, after, diff } = file.edit;
  const uri = after?.uri ?? before?.uri ?? file.id;
  const isMoved = before !== undefined && after !== undefined && before.uri !== after.uri;
  const staged = file._meta?.['staged'];
  return {
    file,
    id: file.id,
    uri,
    path: relativePath(uri, root),
    from: isMoved ? relativePath(before.uri, root) : undefined,
    status:
      before === undefined ? 'added' : after === undefined ? 'deleted' : isMoved ? 'renamed' : 'changed',
    modes: modesOf(file._meta?.['modes']),
    isBinary: diff === undefined,
    isShared: file._meta?.['isShared'] === true,
    staged: staged === 'all' || staged === 'part' ? staged : undefined,
  };
}

/** The path of a file below a folder; the whole path for files outside of it. */
export function relativePath(uri: URI, root: URI | undefined): string {
  const path = pathOf(uri);
  const folder = root === undefined ? undefined : `${pathOf(root).replace(/\/+$/, '')}/`;
  return folder !== undefined && path.startsWith(folder) ? path.slice(folder.length) : path;
}

function modesOf(modes: unknown): ChangedFile['modes'] {
  if (typeof modes !== 'object' || modes === null) return undefined;
  const { before, after } = Object.fromEntries(Object.entries(modes));
  return typeof before === 'string' && typeof after === 'string' && before !== after
    ? { before, after }
    : undefined;
}
