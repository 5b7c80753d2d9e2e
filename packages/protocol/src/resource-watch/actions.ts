import type { ResourceChange } from './state.ts';

/** Every action of a resource watch channel. */
export type ResourceWatchAction = ResourceWatchChangedAction;

/** A batch of at least one change. Does not change the state [WATCH-1]. */
export interface ResourceWatchChangedAction {
  type: 'resourceWatch/changed';
  changes: { items: ResourceChange[] };
  /** Changes were lost: anything below the root may have changed. The batch names the root as updated. */
  'x-missed'?: true;
  /** The watch has ended for this reason. The channel is gone after this action. */
  'x-ended'?: string;
}
