import type { ErrorInfo, StringOrMarkdown } from '../common/types.ts';
import type { ChatInputAnswer, ChatInputRequest, ChatInputResponseKind } from './input-request.ts';
import type { Message } from './message.ts';
import type { PendingMessageKind, ResponsePart, Turn, UsageInfo } from './state.ts';
import type {
  ConfirmationOption,
  FileEdit,
  ToolCallConfirmationReason,
  ToolCallContributor,
  ToolCallResult,
  ToolResultContent,
} from './tool-call.ts';

export type ChatAction =
  | ChatTurnStartedAction
  | ChatDeltaAction
  | ChatResponsePartAction
  | ChatToolCallStartAction
  | ChatToolCallDeltaAction
  | ChatToolCallReadyAction
  | ChatToolCallConfirmedAction
  | ChatToolCallCompleteAction
  | ChatToolCallResultConfirmedAction
  | ChatToolCallContentChangedAction
  | ChatTurnCompleteAction
  | ChatTurnCancelledAction
  | ChatErrorAction
  | ChatActivityChangedAction
  | ChatUsageAction
  | ChatReasoningAction
  | ChatTruncatedAction
  | ChatTurnsLoadedAction
  | ChatPendingMessageSetAction
  | ChatPendingMessageRemovedAction
  | ChatQueuedMessagesReorderedAction
  | ChatDraftChangedAction
  | ChatInputRequestedAction
  | ChatInputAnswerChangedAction
  | ChatInputCompletedAction;

export interface ChatActivityChangedAction {
  type: 'chat/activityChanged';
  activity?: string;
}

export interface ChatDeltaAction {
  type: 'chat/delta';
  turnId: string;
  partId: string;
  content: string;
  _meta?: Record<string, unknown>;
}

export interface ChatDraftChangedAction {
  type: 'chat/draftChanged';
  draft?: Message;
}

export interface ChatErrorAction {
  type: 'chat/error';
  turnId: string;
  error: ErrorInfo;
  _meta?: Record<string, unknown>;
}

export interface ChatInputAnswerChangedAction {
  type: 'chat/inputAnswerChanged';
  requestId: string;
  questionId: string;
  answer?: ChatInputAnswer;
}

export interface ChatInputCompletedAction {
  type: 'chat/inputCompleted';
  requestId: string;
  response: ChatInputResponseKind;
  answers?: Record<string, ChatInputAnswer>;
}

export interface ChatInputRequestedAction {
  type: 'chat/inputRequested';
  request: ChatInputRequest;
}

export interface ChatPendingMessageRemovedAction {
  type: 'chat/pendingMessageRemoved';
  kind: PendingMessageKind;
  id: string;
}

export interface ChatPendingMessageSetAction {
  type: 'chat/pendingMessageSet';
  kind: PendingMessageKind;
  id: string;
  message: Message;
}

export interface ChatQueuedMessagesReorderedAction {
  type: 'chat/queuedMessagesReordered';
  order: string[];
}

export interface ChatReasoningAction {
  type: 'chat/reasoning';
  turnId: string;
  partId: string;
  content: string;
  _meta?: Record<string, unknown>;
}

export interface ChatResponsePartAction {
  type: 'chat/responsePart';
  turnId: string;
  part: ResponsePart;
  _meta?: Record<string, unknown>;
}

export interface ChatToolCallApprovedAction {
  turnId: string;
  toolCallId: string;
  _meta?: Record<string, unknown>;
  type: 'chat/toolCallConfirmed';
  approved: true;
  confirmed: ToolCallConfirmationReason;
  editedToolInput?: string;
  selectedOptionId?: string;
}

export interface ChatToolCallCompleteAction {
  turnId: string;
  toolCallId: string;
  _meta?: Record<string, unknown>;
  type: 'chat/toolCallComplete';
  result: ToolCallResult;
  requiresResultConfirmation?: boolean;
}

export type ChatToolCallConfirmedAction = ChatToolCallApprovedAction | ChatToolCallDeniedAction;

export interface ChatToolCallContentChangedAction {
  turnId: string;
  toolCallId: string;
  _meta?: Record<string, unknown>;
  type: 'chat/toolCallContentChanged';
  content: ToolResultContent[];
}

export interface ChatToolCallDeltaAction {
  turnId: string;
  toolCallId: string;
  _meta?: Record<string, unknown>;
  type: 'chat/toolCallDelta';
  content: string;
  invocationMessage?: StringOrMarkdown;
}

export interface ChatToolCallDeniedAction {
  turnId: string;
  toolCallId: string;
  _meta?: Record<string, unknown>;
  type: 'chat/toolCallConfirmed';
  approved: false;
  reason: 'denied' | 'skipped';
  userSuggestion?: Message;
  reasonMessage?: StringOrMarkdown;
  selectedOptionId?: string;
}

export interface ChatToolCallReadyAction {
  turnId: string;
  toolCallId: string;
  _meta?: Record<string, unknown>;
  type: 'chat/toolCallReady';
  invocationMessage: StringOrMarkdown;
  toolInput?: string;
  confirmationTitle?: StringOrMarkdown;
  edits?: { items: FileEdit[] };
  editable?: boolean;
  confirmed?: ToolCallConfirmationReason;
  options?: ConfirmationOption[];
}

export interface ChatToolCallResultConfirmedAction {
  turnId: string;
  toolCallId: string;
  _meta?: Record<string, unknown>;
  type: 'chat/toolCallResultConfirmed';
  approved: boolean;
}

export interface ChatToolCallStartAction {
  turnId: string;
  toolCallId: string;
  _meta?: Record<string, unknown>;
  type: 'chat/toolCallStart';
  toolName: string;
  displayName: string;
  intention?: string;
  contributor?: ToolCallContributor;
}

export interface ChatTruncatedAction {
  type: 'chat/truncated';
  turnId?: string;
}

export interface ChatTurnCancelledAction {
  type: 'chat/turnCancelled';
  turnId: string;
  _meta?: Record<string, unknown>;
}

export interface ChatTurnCompleteAction {
  type: 'chat/turnComplete';
  turnId: string;
  _meta?: Record<string, unknown>;
}

export interface ChatTurnStartedAction {
  type: 'chat/turnStarted';
  turnId: string;
  message: Message;
  queuedMessageId?: string;
  _meta?: Record<string, unknown>;
}

export interface ChatTurnsLoadedAction {
  type: 'chat/turnsLoaded';
  turns: Turn[];
  turnsNextCursor?: string;
}

export interface ChatUsageAction {
  type: 'chat/usage';
  turnId: string;
  usage: UsageInfo;
  _meta?: Record<string, unknown>;
}
