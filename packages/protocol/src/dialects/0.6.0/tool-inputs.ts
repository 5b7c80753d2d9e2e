import { findToolCallPart } from '../../chat/parts-index.ts';
import type { ChatState } from '../../chat/state.ts';
import { isObject, type Json, type Look, StateNeeded, without } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/**
 * The input of a call was text, each `toolCallReady` had it whole, and each delta had some. Of a
 * reference only the beginning is at hand. */
export const toolInputs: Reshaping = {
  down: {
    shapes: { ToolCall: inline },
    actions: {
      'chat/toolCallDelta': (action) => (action.content === undefined ? { ...action, content: '' } : action),
      'chat/toolCallReady': (action, look) => {
        const known = inline(without(action, 'contributor', 'intention'));
        const kept = known.toolInput === undefined ? keptInput(action, look) : undefined;
        return kept === undefined ? known : { ...known, toolInput: kept };
      },
    },
  },
};

function inline(value: Json): Json {
  const { toolInput } = value;
  if (!isObject(toolInput)) return value;
  const beginning = toolInput['x-beginning'];
  return typeof beginning === 'string' ? { ...value, toolInput: beginning } : without(value, 'toolInput');
}

/** The earlier input of a call, which 1.0 keeps [CHAT-35]; `undefined`: none, or a reference without a beginning. */
function keptInput({ toolCallId }: Json, { after }: Look): string | undefined {
  if (!isChat(after)) throw new StateNeeded();
  if (after.activeTurn === undefined || typeof toolCallId !== 'string') return undefined;
  const call = findToolCallPart(after.activeTurn.responseParts, toolCallId)?.toolCall;
  const input = call !== undefined && 'toolInput' in call ? call.toolInput : undefined;
  return typeof input === 'object' ? input['x-beginning'] : input;
}

const isChat = (state: unknown): state is ChatState => isObject(state) && Array.isArray(state.turns);
