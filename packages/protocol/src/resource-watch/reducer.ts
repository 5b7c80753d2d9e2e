import type { StateAction } from '../wire/envelope.ts';
import type { ResourceWatchState } from './state.ts';

/** Batches of changes are events, not state: every action leaves a watch as it is [WATCH-1]. */
export function resourceWatchReducer(
  state: ResourceWatchState,
  _action: StateAction,
  _now: number,
): ResourceWatchState {
  return state;
}
