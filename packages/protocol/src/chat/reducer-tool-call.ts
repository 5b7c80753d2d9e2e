import { patch } from '../wire/patch.ts';
import type {
  ChatToolCallApprovedAction,
  ChatToolCallAuthRequiredAction,
  ChatToolCallAuthResolvedAction,
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
  ToolCallAuthRequiredState,
  ToolCallBase,
  ToolCallCancelledState,
  ToolCallCompletedState,
  ToolCallConfirmedFields,
  ToolCallParameterFields,
  ToolCallPendingConfirmationState,
  ToolCallPendingResultConfirmationState,
  ToolCallResult,
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
  | ChatToolCallResultConfirmedAction
  | ChatToolCallAuthRequiredAction
  | ChatToolCallAuthResolvedAction;

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
        case 'chat/toolCallReady':
          return action.confirmed ? run(call, action, action.confirmed) : askAgain(call, action);
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
        case 'chat/toolCallAuthRequired':
          return pause(call, action);
        default:
          return call;
      }
    case 'auth-required':
      switch (action.type) {
        case 'chat/toolCallAuthResolved':
          return resume(call, action);
        case 'chat/toolCallComplete':
          return action.result.success ? call : giveUp(call, action);
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
    case 'auth-required':
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
  const { content } = action;
  return patch(call, {
    partialInput: content === undefined ? call.partialInput : (call.partialInput ?? '') + content,
    invocationMessage: action.invocationMessage ?? call.invocationMessage,
    _meta: action._meta ?? call._meta,
  });
}

type Asked = Pick<
  ToolCallPendingConfirmationState,
  'confirmationTitle' | 'edits' | 'editable' | 'options' | 'riskAssessment'
>;

function ask(
  call: ReadyCall,
  action: ChatToolCallReadyAction,
  before: Asked = {},
): ToolCallPendingConfirmationState {
  return patch<ToolCallPendingConfirmationState>(
    { ...ready(call, action), status: 'pending-confirmation' },
    {
      confirmationTitle: action.confirmationTitle ?? before.confirmationTitle,
      edits: action.edits ?? before.edits,
      editable: action.editable ?? before.editable,
      options: action.options ?? before.options,
      riskAssessment: action.riskAssessment ?? before.riskAssessment,
    },
  );
}

/** A repeated question keeps what it does not repeat [CHAT-33]. */
const askAgain = (
  call: ToolCallPendingConfirmationState,
  action: ChatToolCallReadyAction,
): ToolCallPendingConfirmationState => ask(call, action, call);

type ReadyCall = ToolCallStreamingState | ToolCallPendingConfirmationState | ToolCallRunningState;

/** Identity and parameters of a call that is ready. Partial input does not become the input [CHAT-35]. */
function ready(call: ReadyCall, action: ChatToolCallReadyAction): ToolCallBase & ToolCallParameterFields {
  const given = action.contributor;
  // A call of a client stays one, and no other call becomes one [CHAT-34].
  const isChanged = call.contributor?.kind !== 'client' && given !== undefined && given.kind !== 'client';
  const named = patch<ToolCallBase>(identity(call, action), {
    intention: action.intention ?? call.intention,
    contributor: isChanged ? given : call.contributor,
  });
  const earlier = call.status === 'streaming' ? undefined : call.toolInput;
  return patch<ToolCallBase & ToolCallParameterFields>(
    { ...named, invocationMessage: action.invocationMessage },
    { toolInput: action.toolInput ?? earlier },
  );
}

function run(
  call: ReadyCall,
  action: ChatToolCallReadyAction,
  confirmed: ToolCallRunningState['confirmed'],
): ToolCallRunningState {
  return { ...ready(call, action), status: 'running', confirmed };
}

/** Only calls of MCP tools wait for a token [CHAT-30]. */
function pause(call: ToolCallRunningState, action: ChatToolCallAuthRequiredAction): ToolCallState {
  const { contributor } = call;
  if (contributor?.kind !== 'mcp') return call;
  return { ...call, ...identity(call, action), contributor, status: 'auth-required', auth: action.auth };
}

function resume(
  { auth: _, ...call }: ToolCallAuthRequiredState,
  action: ChatToolCallAuthResolvedAction,
): ToolCallRunningState {
  return { ...call, ...identity(call, action), status: 'running' };
}

/** A call whose sign-in is abandoned fails at once, with the content from before the pause [CHAT-31]. */
function giveUp(call: ToolCallAuthRequiredState, action: ChatToolCallCompleteAction): ToolCallCompletedState {
  const kept = call.content === undefined ? {} : { content: call.content };
  return patch<ToolCallCompletedState>(
    { ...kept, ...action.result, ...identity(call, action), ...carriedOn(call), status: 'completed' },
    { 'x-answeredBy': call['x-answeredBy'] },
  );
}

function approve(
  call: ToolCallPendingConfirmationState,
  action: ChatToolCallApprovedAction,
): ToolCallRunningState {
  return patch<ToolCallRunningState>(
    { ...identity(call, action), ...parameters(call), status: 'running', confirmed: action.confirmed },
    {
      toolInput:
        typeof call.toolInput === 'object' ? call.toolInput : (action.editedToolInput ?? call.toolInput),
      selectedOption: optionOf(call, action.selectedOptionId),
      'x-answeredBy': action['x-by'],
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
    {
      reasonMessage,
      userSuggestion,
      selectedOption: optionOf(call, action.selectedOptionId),
      'x-answeredBy': action['x-by'],
    },
  );
}

function optionOf(call: ToolCallPendingConfirmationState, id: string | undefined) {
  return id === undefined ? undefined : call.options?.find((option) => option.id === id);
}

type Completed = ToolCallBase & ToolCallParameterFields & ToolCallConfirmedFields & ToolCallResult;

type Completable = ToolCallBase &
  ToolCallParameterFields &
  Pick<ToolCallRunningState, 'confirmed' | 'selectedOption' | 'x-answeredBy'>;

function complete(
  call: Completable,
  action: ChatToolCallCompleteAction,
): ToolCallCompletedState | ToolCallPendingResultConfirmationState {
  // The result is spread first, so that fields of a client's result cannot replace those of the call.
  const fields = patch<Completed>(
    { ...action.result, ...identity(call, action), ...carriedOn(call) },
    { 'x-answeredBy': call['x-answeredBy'] },
  );
  return action.requiresResultConfirmation
    ? { ...fields, status: 'pending-result-confirmation' }
    : { ...fields, status: 'completed' };
}

/** Fields that a confirmed call keeps afterwards. */
function carriedOn(call: Completable): ToolCallParameterFields & ToolCallConfirmedFields {
  const { confirmed, selectedOption } = call;
  return { ...parameters(call), confirmed, ...(selectedOption && { selectedOption }) };
}

function acceptResult(
  call: ToolCallPendingResultConfirmationState,
  action: ChatToolCallResultConfirmedAction,
): ToolCallCompletedState {
  return patch<ToolCallCompletedState>(
    { ...call, ...identity(call, action), status: 'completed' },
    { 'x-answeredBy': action['x-by'] ?? call['x-answeredBy'] },
  );
}

function denyResult(
  call: ToolCallPendingResultConfirmationState,
  action: ChatToolCallResultConfirmedAction,
): ToolCallCancelledState {
  return patch<ToolCallCancelledState>(
    { ...identity(call, action), ...parameters(call), status: 'cancelled', reason: 'result-denied' },
    { selectedOption: call.selectedOption, 'x-answeredBy': action['x-by'] },
  );
}
