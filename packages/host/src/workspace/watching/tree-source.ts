import type { Stats } from 'node:fs';

/** Size of a tree that is watched. */
export interface TreeSize {
  /** Watched folders. */
  readonly folders: number;
  /** Files, folders and links. */
  readonly entries: number;
}

/** The kind of a change. A file that was replaced is `updated`. */
export type FileChangeType = 'added' | 'updated' | 'deleted';

/** A change of one file, folder or link. */
export interface FileChange {
  /** Absolute. */
  readonly path: string;
  readonly type: FileChangeType;
}

/** Changes that are reported together. */
export interface ChangeBatch {
  /** Each path once. Empty if `isMissed`. */
  readonly changes: readonly FileChange[];
  /** Whether changes were lost: anything below the root may have changed. */
  readonly isMissed: boolean;
}

/**
 * A folder cannot be watched, or not any longer. `code`: `tooLarge` and `systemLimit`: watch less, or raise the limit that the message names;
 * `missing`: the folder does not exist; `moved`: its path leads elsewhere now; `failed`: the operating system refuses.
 */
export class WatchFailure extends Error {
  override readonly name = 'WatchFailure';
  readonly code: 'tooLarge' | 'systemLimit' | 'missing' | 'moved' | 'failed';
  /** The limit that is reached, where it is one of the host. */
  readonly max: number | undefined;

  constructor(
    code: WatchFailure['code'],
    message: string,
    { max, ...options }: ErrorOptions & { readonly max?: number } = {},
  ) {
    super(message, options);
    this.code = code;
    this.max = max;
  }
}

/** Options of a tree that is watched. */
export interface TreeOptions {
  /** A real path of a folder. Links below it are not followed. */
  readonly root: string;
  /** False: only the direct entries of the root. */
  readonly isRecursive: boolean;
  /** Whether a path is neither reported nor, if it is a folder, watched. Without `stats` its kind is not known yet. */
  isIgnored(path: string, stats?: Stats): boolean;
  /** Called with the size of the tree when it grows. Throws a `WatchFailure` at a limit. */
  checkSize(size: TreeSize): void;
  /** A change after `openTree` has resolved. May report a change twice. */
  onChange(change: FileChange): void;
  /** The tree is not watched any longer, and closed. */
  onFailure(failure: WatchFailure): void;
}

/** A tree that is watched. */
export interface TreeSource {
  readonly size: TreeSize;
  /** Looks at the whole tree again, because what is ignored has changed. Reports only changes that happen meanwhile. */
  rescan(): Promise<void>;
  /** Ends the watch. Nothing is reported after this call. */
  close(): Promise<void>;
}

/** Port: begins to watch a tree. Resolves when no further change is missed. Rejects with a `WatchFailure`. */
export type OpenTree = (options: TreeOptions) => Promise<TreeSource>;
