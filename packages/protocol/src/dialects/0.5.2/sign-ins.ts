import { findToolCallPart } from '../../chat/parts-index.ts';
import type { ChatState } from '../../chat/state.ts';
import { dropping, isObject, type Json, type Look, without } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** A call that waits for a token was shown as running; its risk was not assessed. */
export const signIns: Reshaping = {
  down: {
    shapes: {
      ToolCall: (call) => {
        const known = without(call, 'riskAssessment');
        return known.status === 'auth-required' ? { ...without(known, 'auth'), status: 'running' } : known;
      },
      SessionInputRequest: (entry) => (entry.kind === 'toolAuthentication' ? undefined : entry),
    },
    actions: {
      'chat/toolCallReady': dropping('riskAssessment'),
      'chat/toolCallComplete': (action, look) => {
        const content = keptContent(action, look);
        const isGivenUp = content !== undefined;
        return isGivenUp && isObject(action.result)
          ? { ...without(action, 'requiresResultConfirmation'), result: { content, ...action.result } }
          : action;
      },
    },
  },
};

/** The content that a call keeps whose sign-in is given up [CHAT-31]; `undefined`: none, or another completion. */
function keptContent({ toolCallId }: Json, { before }: Look): unknown {
  if (!isChat(before) || before.activeTurn === undefined || typeof toolCallId !== 'string') return undefined;
  const call = findToolCallPart(before.activeTurn.responseParts, toolCallId)?.toolCall;
  return call?.status === 'auth-required' ? call.content : undefined;
}

const isChat = (state: unknown): state is ChatState => isObject(state) && Array.isArray(state.turns);
