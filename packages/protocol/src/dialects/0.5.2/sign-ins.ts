import { findToolCallPart } from '../../chat/parts-index.ts';
import type { ChatState } from '../../chat/state.ts';
import type { ToolCallState } from '../../chat/tool-call.ts';
import { dropping, isObject, type Json, type Look, listOf, StateNeeded, without } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

const isSignIn = (entry: unknown): boolean => isObject(entry) && entry.kind === 'toolAuthentication';

/** A call that waits for a token was shown as running; its risk was not assessed. */
export const signIns: Reshaping = {
  down: {
    shapes: {
      ToolCall: (call) => {
        const known = without(call, 'riskAssessment');
        return known.status === 'auth-required' ? { ...without(known, 'auth'), status: 'running' } : known;
      },
      SessionState: (session) => {
        const entries = listOf(session.inputNeeded);
        return entries.length > 0 && entries.every(isSignIn) ? without(session, 'inputNeeded') : session;
      },
      McpServerState: dropping('oauthClient'),
      SessionInputRequest: (entry) => (isSignIn(entry) ? undefined : entry),
    },
    actions: {
      // It may replace an entry that the client knows.
      'session/inputNeededSet': (action, { before }) => {
        const { request } = action;
        if (!isObject(request) || !isSignIn(request)) return action;
        const known = isObject(before) ? listOf(before.inputNeeded).filter(isObject) : undefined;
        const isKnown = known === undefined || known.some(({ id }) => id === request.id);
        return isKnown ? { type: 'session/inputNeededRemoved', id: request.id } : [];
      },
      'chat/toolCallReady': dropping('riskAssessment'),
      'chat/toolCallComplete': (action, look) => {
        const { result } = action;
        if (!isObject(result) || result.success !== false) return action;
        // A failure with content and without a confirmation is the same in both states.
        if (result.content !== undefined && action.requiresResultConfirmation !== true) return action;
        const call = callBefore(action, look);
        if (call?.status !== 'auth-required') return action;
        const content = result.content ?? call.content;
        return {
          ...without(action, 'requiresResultConfirmation'),
          result: content === undefined ? result : { ...result, content },
        };
      },
    },
  },
};

/** The call that ends; one that waits keeps its content when its sign-in is abandoned [CHAT-31]. */
function callBefore({ turnId, toolCallId }: Json, { before }: Look): ToolCallState | undefined {
  if (!isChat(before)) throw new StateNeeded();
  const turn = before.activeTurn;
  if (turn === undefined || turn.id !== turnId || typeof toolCallId !== 'string') return undefined;
  return findToolCallPart(turn.responseParts, toolCallId)?.toolCall;
}

const isChat = (state: unknown): state is ChatState => isObject(state) && Array.isArray(state.turns);
