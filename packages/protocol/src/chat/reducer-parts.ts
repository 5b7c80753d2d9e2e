import { sameJson } from '../values/same-json.ts';
import type { ChatDeltaAction, ChatReasoningAction, ChatToolCallStartAction } from './actions.ts';
import { toolCallPosition, withPartAdded, withPartAt } from './parts-index.ts';
import { startedToolCall, type ToolCallStep, toolCallStep } from './reducer-tool-call.ts';
import type { ActiveTurn, ChatState, ResponsePart } from './state.ts';

// Appends are frequent and concern one of the last parts. Texts are searched from the end and tool calls by
// an index; a change costs one copy of the array.

/** Adds a part at the end of the active turn [CHAT-4]. */
export function appendPart(state: ChatState, turnId: string, part: ResponsePart): ChatState {
  const turn = state.activeTurn;
  if (turn?.id !== turnId) return state;
  return { ...state, activeTurn: { ...turn, responseParts: withPartAdded(turn.responseParts, part) } };
}

/** Appends text to the part with this kind and id in the active turn [CHAT-4]. */
export function appendText(
  state: ChatState,
  kind: 'markdown' | 'reasoning',
  action: ChatDeltaAction | ChatReasoningAction,
): ChatState {
  const turn = state.activeTurn;
  if (turn?.id !== action.turnId || action.content === '') return state;
  const parts = turn.responseParts;
  for (let index = parts.length - 1; index >= 0; index--) {
    const part = parts[index];
    if (part?.kind !== 'markdown' && part?.kind !== 'reasoning') continue;
    if (part.kind !== kind || part.id !== action.partId) continue;
    return withPart(state, turn, index, { ...part, content: part.content + action.content });
  }
  return state;
}

/** Adds a tool call whose input will follow [CHAT-7]. */
export function startToolCall(state: ChatState, action: ChatToolCallStartAction): ChatState {
  return appendPart(state, action.turnId, { kind: 'toolCall', toolCall: startedToolCall(action) });
}

/** Applies one step of the state machine to the tool call that the action names [CHAT-7]. */
export function reduceToolCall(state: ChatState, action: ToolCallStep): ChatState {
  const turn = state.activeTurn;
  if (turn?.id !== action.turnId) return state;
  const parts = turn.responseParts;
  const index = toolCallPosition(parts, action.toolCallId);
  const part = parts[index];
  if (part?.kind !== 'toolCall') return state;
  const toolCall = toolCallStep(part.toolCall, action);
  return sameJson(toolCall, part.toolCall) ? state : withPart(state, turn, index, { ...part, toolCall });
}

function withPart(state: ChatState, turn: ActiveTurn, index: number, part: ResponsePart): ChatState {
  return { ...state, activeTurn: { ...turn, responseParts: withPartAt(turn.responseParts, index, part) } };
}
