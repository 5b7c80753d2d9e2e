import type { URI } from '../wire/basics.ts';

/** The state of a canvas: a user interface of an extension. Experimental [CANVAS-1]. */
export interface CanvasState {
  instanceId: string;
  extensionId: string;
  extensionName?: string;
  /** Id of the canvas among those of its extension. */
  canvasId: string;
  title?: string;
  /** For people. */
  status?: string;
  /** Where its content is served. Absent: its provider is not available. May hold a secret: never write it to logs [CANVAS-2]. */
  url?: URI;
}

/** A canvas of a chat. Experimental [CHAT-47]. */
export interface CanvasReference {
  /** Its channel. */
  resource: URI;
}
