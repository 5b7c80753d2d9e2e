import type { ConnectionParams, URI } from '../wire/basics.ts';
import type { WatchPatterns } from './state.ts';

/** `createResourceWatch`: the receiver watches one of its resources while somebody is subscribed [WATCH-1]. */
export interface CreateResourceWatchParams extends ConnectionParams {
  uri: URI;
  /** Absent: false. */
  recursive?: boolean;
  /** Absent: nothing is left out. */
  excludes?: WatchPatterns;
  /** Absent: everything that is not excluded. */
  includes?: WatchPatterns;
}

/** The watch is there; changes come to those who subscribe to it. */
export interface CreateResourceWatchResult {
  /** Chosen by the receiver. */
  channel: URI;
}
