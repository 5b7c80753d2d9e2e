import { patch } from '../wire/patch.ts';
import type {
  ChatToolCallApprovedAction,
  ChatToolCallCompleteAction,
  ChatToolCallConfirmedAction,
  ChatToolCallContentChangedAction,
  ChatToolCallDeltaAction,
  ChatToolCallDeniedAction,
  ChatToolCallReadyAction,
  ChatToolCallResultConfirmedAction,
  ChatToolCallStartAction,
} from './actions.ts';
import type {
  ToolCallBase,
  ToolCallCancelledState,
  ToolCallCompletedState,
  ToolCallParameterFields,
  ToolCallPendingConfirmationState,
  ToolCallPendingResultConfirmationState,
  ToolCallRunningState,
  ToolCallState,
  ToolCallStreamingState,
} from './tool-call.ts';

/** The actions that change an existing tool call. */
export type ToolCallStep =
  | ChatToolCallDeltaAction
  | ChatToolCallReadyAction
  | ChatToolCallConfirmedAction
  | ChatToolCallContentChangedAction
  | ChatToolCallCompleteAction
  | ChatToolCallResultConfirmedAction;

/**
 * The state machine of a tool call [CHAT-7]. All legal steps are listed here; anything else returns the call
 * itself. `skippedToolCall` ends open calls at the end of a turn [CHAT-5].
 */
export function toolCallStep(call: ToolCallState, action: ToolCallStep): ToolCallState {
  switch (call.status) {
    case 'streaming':
      switch (action.type) {
        case 'chat/toolCallDelta':
          return appendInput(call, action);
        case 'chat/toolCallReady':
          return action.confirmed ? run(call, action, action.confirmed) : ask(call, action);
        default:
          return call;
      }
    case 'pending-confirmation':
      switch (action.type) {
        case 'chat/toolCallConfirmed':
          return action.approved ? approve(call, action) : deny(call, action);
        case 'chat/toolCallComplete':
          return complete({ ...call, confirmed: 'not-needed' }, action);
        default:
          return call;
      }
    case 'running':
      switch (action.type) {
        case 'chat/toolCallReady':
          return action.confirmed ? run(call, action, action.confirmed) : ask(call, action);
        case 'chat/toolCallContentChanged':
          return patch(call, { content: action.content, _meta: action._meta ?? call._meta });
        case 'chat/toolCallComplete':
          return complete(call, action);
        default:
          return call;
      }
    case 'pending-result-confirmation':
      switch (action.type) {
        case 'chat/toolCallResultConfirmed':
          return action.approved ? acceptResult(call, action) : denyResult(call, action);
        default:
          return call;
      }
    case 'completed':
    case 'cancelled':
      return call;
    default:
      // A state of a newer protocol stays unchanged.
      return call satisfies never;
  }
}

/** The new tool call that `chat/toolCallStart` announces. */
export function startedToolCall(action: ChatToolCallStartAction): ToolCallStreamingState {
  return { ...identity(action), status: 'streaming' };
}

/**
 * The end of a tool call that is open when its turn ends [CHAT-5]. Completed and cancelled calls are returned
 * unchanged.
 */
export function skippedToolCall(call: ToolCallState): ToolCallState {
  switch (call.status) {
    case 'completed':
    case 'cancelled':
      return call;
    case 'streaming':
      return {
        ...identity(call),
        invocationMessage: call.invocationMessage ?? '',
        status: 'cancelled',
        reason: 'skipped',
      };
    case 'pending-confirmation':
    case 'running':
    case 'pending-result-confirmation':
      return { ...identity(call), ...parameters(call), status: 'cancelled', reason: 'skipped' };
    default:
      return call satisfies never;
  }
}

/** Fields that a call keeps in every state. `_meta` of the action replaces that of the call. */
function identity(call: ToolCallBase, action?: ToolCallStep): ToolCallBase {
  const { toolCallId, toolName, displayName, intention, contributor } = call;
  return patch<ToolCallBase>(
    { toolCallId, toolName, displayName },
    { intention, contributor, _meta: action?._meta ?? call._meta },
  );
}

function parameters(from: ToolCallParameterFields): ToolCallParameterFields {
  const { invocationMessage, toolInput } = from;
  return patch<ToolCallParameterFields>({ invocationMessage }, { toolInput });
}

function appendInput(call: ToolCallStreamingState, action: ChatToolCallDeltaAction): ToolCallStreamingState {
  return patch(call, {
    partialInput: (call.partialInput ?? '') + action.content,
    invocationMessage: action.invocationMessage ?? call.invocationMessage,
    _meta: action._meta ?? call._meta,
  });
}

function ask(call: ToolCallBase, action: ChatToolCallReadyAction): ToolCallPendingConfirmationState {
  const { confirmationTitle, edits, editable, options } = action;
  return patch<ToolCallPendingConfirmationState>(
    { ...identity(call, action), ...parameters(action), status: 'pending-confirmation' },
    { confirmationTitle, edits, editable, options },
  );
}

function run(
  call: ToolCallBase,
  action: ChatToolCallReadyAction,
  confirmed: ToolCallRunningState['confirmed'],
): ToolCallRunningState {
  return { ...identity(call, action), ...parameters(action), status: 'running', confirmed };
}

function approve(
  call: ToolCallPendingConfirmationState,
  action: ChatToolCallApprovedAction,
): ToolCallRunningState {
  return patch<ToolCallRunningState>(
    { ...identity(call, action), ...parameters(call), status: 'running', confirmed: action.confirmed },
    {
      toolInput: action.editedToolInput ?? call.toolInput,
      selectedOption: optionOf(call, action.selectedOptionId),
    },
  );
}

function deny(
  call: ToolCallPendingConfirmationState,
  action: ChatToolCallDeniedAction,
): ToolCallCancelledState {
  const { reason, reasonMessage, userSuggestion } = action;
  return patch<ToolCallCancelledState>(
    { ...identity(call, action), ...parameters(call), status: 'cancelled', reason },
    { reasonMessage, userSuggestion, selectedOption: optionOf(call, action.selectedOptionId) },
  );
}

function optionOf(call: ToolCallPendingConfirmationState, id: string | undefined) {
  return id === undefined ? undefined : call.options?.find((option) => option.id === id);
}

type Completable = ToolCallBase &
  ToolCallParameterFields &
  Pick<ToolCallRunningState, 'confirmed' | 'selectedOption'>;

function complete(
  call: Completable,
  action: ChatToolCallCompleteAction,
): ToolCallCompletedState | ToolCallPendingResultConfirmationState {
  // The result is spread first, so that fields of a client's result cannot replace those of the call.
  const fields = { ...action.result, ...identity(call, action), ...carriedOn(call) };
  return action.requiresResultConfirmation
    ? { ...fields, status: 'pending-result-confirmation' }
    : { ...fields, status: 'completed' };
}

/** Fields that a confirmed call keeps afterwards. */
function carriedOn(
  call: Completable,
): ToolCallParameterFields & Pick<Completable, 'confirmed' | 'selectedOption'> {
  const { confirmed, selectedOption } = call;
  return { ...parameters(call), confirmed, ...(selectedOption && { selectedOption }) };
}

function acceptResult(
  call: ToolCallPendingResultConfirmationState,
  action: ChatToolCallResultConfirmedAction,
): ToolCallCompletedState {
  return { ...call, ...identity(call, action), status: 'completed' };
}

function denyResult(
  call: ToolCallPendingResultConfirmationState,
  action: ChatToolCallResultConfirmedAction,
): ToolCallCancelledState {
  return patch<ToolCallCancelledState>(
    { ...identity(call, action), ...parameters(call), status: 'cancelled', reason: 'result-denied' },
    { selectedOption: call.selectedOption },
  );
}
