import type { URI } from '../wire/basics.ts';

/** The kind of a change. */
export type ResourceChangeType = 'added' | 'updated' | 'deleted';

/** One change that a watch reports. */
export interface ResourceChange {
  uri: URI;
  type: ResourceChangeType;
}

/** Glob patterns or paths relative to the root of a watch. */
export interface WatchPatterns {
  items: string[];
}

/** The settings of a watch. Changes are sent as actions and not stored [WATCH-1]. */
export interface ResourceWatchState {
  root: URI;
  /** False: only the root and, for a directory, its direct entries. */
  recursive: boolean;
  /** Never reported. Absent: none. */
  excludes?: WatchPatterns;
  /** Only these are reported. Absent: everything that is not excluded. */
  includes?: WatchPatterns;
  /** Files that `.gitignore` files name are not reported. Absent: they are. */
  'x-gitignore'?: true;
}
