import type { ResourceChange } from './state.ts';

/** Every action of a resource watch channel. */
export type ResourceWatchAction = ResourceWatchChangedAction;

/** A batch of at least one change. Does not change the state [WATCH-1]. */
export interface ResourceWatchChangedAction {
  type: 'resourceWatch/changed';
  changes: { items: ResourceChange[] };
}
