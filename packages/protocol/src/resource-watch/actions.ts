import type { ResourceChange } from './state.ts';

/** Every action of a resource watch channel. */
export type ResourceWatchAction = ResourceWatchChangedAction;

/** A batch of changes, at least one. Reduces to the same state [WATCH-1]. */
export interface ResourceWatchChangedAction {
  type: 'resourceWatch/changed';
  changes: { items: ResourceChange[] };
}
