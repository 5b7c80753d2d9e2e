import type { ResourceChange } from './state.ts';

/** Every action of a resource watch channel. */
export type ResourceWatchAction = ResourceWatchChangedAction;

export interface ResourceWatchChangedAction {
  type: 'resourceWatch/changed';
  changes: { items: ResourceChange[] };
}
