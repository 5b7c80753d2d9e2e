import type { ConnectionParams, URI } from '../wire/basics.ts';
import type { WatchPatterns } from './state.ts';

/**
 * `createResourceWatch`: the receiver watches one of its resources while the channel has subscribers
 * [WATCH-1].
 */
export interface CreateResourceWatchParams extends ConnectionParams {
  uri: URI;
  /** Absent: false. */
  recursive?: boolean;
  /** Absent: nothing is excluded. */
  excludes?: WatchPatterns;
  /** Absent: everything that is not excluded. */
  includes?: WatchPatterns;
  /** Leaves out what the `.gitignore` files of the working tree name. Absent: false. */
  'x-gitignore'?: boolean;
}

/** The watch exists; subscribers of its channel receive changes. */
export interface CreateResourceWatchResult {
  /** Chosen by the receiver. */
  channel: URI;
}
