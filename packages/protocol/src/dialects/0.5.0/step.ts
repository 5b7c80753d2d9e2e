import { dropping } from '../reshape.ts';
import type { Step } from '../step.ts';

/** Turns in the answer to a `fetchTurns` without `limit`. */
const PAGE_TURNS = 50;

/** Step G: from 0.5.1 to 0.5.0. */
export const step050: Step = {
  to: '0.5.0',
  reshapings: [
    {
      down: {
        shapes: {
          ListSessionsResult: dropping('nextCursor'),
          AgentInfo: dropping('capabilities'),
          AgentCustomization: dropping('model', 'tools'),
          SessionState: dropping('inputNeeded'),
          ChatState: dropping('turnsNextCursor'),
          ContentRef: dropping('nonce'),
          ToolCall: dropping('intention'),
        },
        actions: {
          'chat/toolCallStart': dropping('intention'),
          'chat/toolCallReady': dropping('intention'),
        },
      },
      up: {
        params: {
          // These versions get the turns in the answer [CHAT-15].
          fetchTurns: (params) =>
            'before' in params || 'limit' in params ? params : { ...params, limit: PAGE_TURNS },
        },
      },
    },
  ],
  newer: { actions: ['session/inputNeededSet', 'session/inputNeededRemoved', 'chat/turnsLoaded'] },
};
