import type { CanvasState } from './state.ts';

/** Every action of the channel of a canvas. */
export type CanvasAction = CanvasStateChangedAction;

/** Replaces the state as a whole. Experimental [CANVAS-1]. */
export interface CanvasStateChangedAction {
  type: 'canvas/stateChanged';
  canvas: CanvasState;
}
