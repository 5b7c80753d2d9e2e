import type { URI } from '../wire/basics.ts';

/** What happened to a resource. */
export type ResourceChangeType = 'added' | 'updated' | 'deleted';

/** One change that a watch saw. */
export interface ResourceChange {
  uri: URI;
  type: ResourceChangeType;
}

/** Glob patterns or paths, relative to the root of a watch. */
export interface WatchPatterns {
  items: string[];
}

/** What a watch looks at. The changes themselves pass by as actions and are not kept [WATCH-1]. */
export interface ResourceWatchState {
  root: URI;
  /** False: only the root and, where it is a directory, its own entries. */
  recursive: boolean;
  /** Never reported. Absent: none. */
  excludes?: WatchPatterns;
  /** Only these are reported. Absent: everything that is not excluded. */
  includes?: WatchPatterns;
}
