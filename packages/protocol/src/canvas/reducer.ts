import { sameJson } from '../values/same-json.ts';
import type { StateAction } from '../wire/envelope.ts';
import type { CanvasAction } from './actions.ts';
import type { CanvasState } from './state.ts';

/** Reduces one action of the channel of a canvas [CANVAS-1]. Returns `state` itself when nothing changes. */
export function canvasReducer(state: CanvasState, action: StateAction): CanvasState {
  switch (action.type) {
    case 'canvas/stateChanged':
      return sameJson(state, action.canvas) ? state : action.canvas;
    default:
      action satisfies Exclude<StateAction, CanvasAction>;
      return state;
  }
}
