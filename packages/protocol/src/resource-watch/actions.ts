import type { ResourceChange } from './state.ts';

export interface ResourceWatchChangedAction {
  type: 'resourceWatch/changed';
  changes: { items: ResourceChange[] };
}
