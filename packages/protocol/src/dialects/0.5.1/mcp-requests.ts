import type { Json } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

const changed =
  (kind: 'starting' | 'stopped') =>
  (action: Json): Json => ({
    type: 'session/mcpServerStateChanged',
    id: action.id,
    state: { kind },
  });

/** Requests to start or stop a server are changes of its state. */
export const mcpRequests: Reshaping = {
  down: {
    actions: {
      'session/mcpServerStartRequested': changed('starting'),
      'session/mcpServerStopRequested': changed('stopped'),
    },
  },
};
