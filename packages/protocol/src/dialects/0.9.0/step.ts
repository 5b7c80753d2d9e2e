import type { Step } from '../step.ts';
import { newFields } from './new-fields.ts';
import { recomputing } from './recomputing.ts';

/** Step A: from 1.0.0 to 0.9.0. */
export const step090: Step = {
  to: '0.9.0',
  reshapings: [newFields, recomputing],
  newer: {
    actions: [
      'session/chatsReordered',
      'session/mcpServerBackgroundRequested',
      'chat/isReadChanged',
      'chat/isArchivedChanged',
      'chat/changesetsChanged',
      'chat/movableChanged',
      'chat/backgroundWorkSet',
      'chat/backgroundWorkRemoved',
      'chat/canvasesChanged',
      'canvas/stateChanged',
    ],
    actionsTaken: true,
    commands: ['moveChat'],
    channels: ['canvas'],
  },
};
