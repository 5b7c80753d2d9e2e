import type { StateAction } from '../wire/envelope.ts';
import type { ResourceWatchState } from './state.ts';

/** Changes are events, not state: no action changes a watch's state [WATCH-1]. */
export function resourceWatchReducer(state: ResourceWatchState, _action: StateAction): ResourceWatchState {
  return state;
}
