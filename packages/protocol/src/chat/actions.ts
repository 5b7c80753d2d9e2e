import type { ErrorInfo, StringOrMarkdown, WithMeta } from '../wire/basics.ts';
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

/** Every action of a chat channel. */
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

/** What actions of one turn have. On another turn than the active one they change nothing [CHAT-4]. */
export interface ChatTurnActionBase extends WithMeta {
  turnId: string;
}

/** What the actions of one tool call have. A `_meta` replaces the tool call's own [CHAT-7]. */
export interface ToolCallActionBase extends ChatTurnActionBase {
  toolCallId: string;
}

/** A turn begins [CHAT-3]. */
export interface ChatTurnStartedAction extends ChatTurnActionBase {
  type: 'chat/turnStarted';
  message: Message;
  /** The pending message that this turn takes up. Absent: none. */
  queuedMessageId?: string;
}

/** A turn ends well [CHAT-5]. */
export interface ChatTurnCompleteAction extends ChatTurnActionBase {
  type: 'chat/turnComplete';
}

/** A turn is broken off [CHAT-5]. */
export interface ChatTurnCancelledAction extends ChatTurnActionBase {
  type: 'chat/turnCancelled';
}

/** A turn fails [CHAT-5]. */
export interface ChatErrorAction extends ChatTurnActionBase {
  type: 'chat/error';
  error: ErrorInfo;
}

/** Adds a part to the answer [CHAT-4]. */
export interface ChatResponsePartAction extends ChatTurnActionBase {
  type: 'chat/responsePart';
  part: ResponsePart;
}

/** Appends to a markdown part [CHAT-4]. */
export interface ChatDeltaAction extends ChatTurnActionBase {
  type: 'chat/delta';
  partId: string;
  content: string;
}

/** Appends to a reasoning part [CHAT-4]. */
export interface ChatReasoningAction extends ChatTurnActionBase {
  type: 'chat/reasoning';
  partId: string;
  content: string;
}

/** Replaces the turn's usage. */
export interface ChatUsageAction extends ChatTurnActionBase {
  type: 'chat/usage';
  usage: UsageInfo;
}

/** What the chat does just now. */
export interface ChatActivityChangedAction {
  type: 'chat/activityChanged';
  /** Absent: nothing to tell any more. */
  activity?: string;
}

/** A tool call begins, its input still to come [CHAT-7]. */
export interface ChatToolCallStartAction extends ToolCallActionBase {
  type: 'chat/toolCallStart';
  toolName: string;
  displayName: string;
  intention?: string;
  /** Absent: a tool of the host or the agent. */
  contributor?: ToolCallContributor;
}

/** More of a tool call's input [CHAT-7]. */
export interface ChatToolCallDeltaAction extends ToolCallActionBase {
  type: 'chat/toolCallDelta';
  /** Appended. */
  content: string;
  /** Absent: as before. */
  invocationMessage?: StringOrMarkdown;
}

/** A tool call's input is complete, or a running one has to ask again [CHAT-7]. */
export interface ChatToolCallReadyAction extends ToolCallActionBase {
  type: 'chat/toolCallReady';
  invocationMessage: StringOrMarkdown;
  toolInput?: string;
  confirmationTitle?: StringOrMarkdown;
  edits?: { items: FileEdit[] };
  /** Absent: false. */
  editable?: boolean;
  /** Given: it runs at once. Absent: it waits for a person. */
  confirmed?: ToolCallConfirmationReason;
  options?: ConfirmationOption[];
}

/** The answer to a tool call that waits to run [CHAT-8]. */
export type ChatToolCallConfirmedAction = ChatToolCallApprovedAction | ChatToolCallDeniedAction;

/** What both answers have. */
export interface ChatToolCallConfirmedActionBase extends ToolCallActionBase {
  type: 'chat/toolCallConfirmed';
  /** One of the options that were offered, whose kind fits `approved` [CHAT-8]. */
  selectedOptionId?: string;
}

/** Yes: it runs. */
export interface ChatToolCallApprovedAction extends ChatToolCallConfirmedActionBase {
  approved: true;
  confirmed: ToolCallConfirmationReason;
  /** In place of `toolInput`; only where the call is `editable` [CHAT-8]. */
  editedToolInput?: string;
}

/** No: it is cancelled. */
export interface ChatToolCallDeniedAction extends ChatToolCallConfirmedActionBase {
  approved: false;
  reason: 'denied' | 'skipped';
  /** What to do in its place. */
  userSuggestion?: Message;
  /** More about why. */
  reasonMessage?: StringOrMarkdown;
}

/** A tool call is done; only its contributor may say so, or the host [CHAT-7] [CHAT-8]. */
export interface ChatToolCallCompleteAction extends ToolCallActionBase {
  type: 'chat/toolCallComplete';
  result: ToolCallResult;
  /** True: a person has to allow the result. Absent: false. */
  requiresResultConfirmation?: boolean;
}

/** The answer to a tool call whose result waits; false cancels it with `result-denied` [CHAT-7]. */
export interface ChatToolCallResultConfirmedAction extends ToolCallActionBase {
  type: 'chat/toolCallResultConfirmed';
  approved: boolean;
}

/** Replaces what a running tool call shows of its result [CHAT-7]. */
export interface ChatToolCallContentChangedAction extends ToolCallActionBase {
  type: 'chat/toolCallContentChanged';
  content: ToolResultContent[];
}

/** Forgets the turns behind one, and the active one [CHAT-6]. */
export interface ChatTruncatedAction {
  type: 'chat/truncated';
  /** The last turn to keep. Absent: none is kept. */
  turnId?: string;
}

/** Puts older turns in front of a client's window; goes to that client alone [CHAT-15] [ACT-7]. */
export interface ChatTurnsLoadedAction {
  type: 'chat/turnsLoaded';
  /** Oldest first. */
  turns: Turn[];
  /** Absent: there are none older. */
  turnsNextCursor?: string;
  /** Extension: the oldest turn that the chat still has. Those before it have been dropped for their age and leave the window. */
  'x-from'?: string;
}

/** A message waits: the one that steers, or one in the queue [CHAT-11]. */
export interface ChatPendingMessageSetAction {
  type: 'chat/pendingMessageSet';
  kind: PendingMessageKind;
  id: string;
  message: Message;
}

/** A message no longer waits, withdrawn or taken up [CHAT-11]. */
export interface ChatPendingMessageRemovedAction {
  type: 'chat/pendingMessageRemoved';
  kind: PendingMessageKind;
  id: string;
}

/** A new order for the queue; messages that it leaves out follow in their old one [CHAT-11]. */
export interface ChatQueuedMessagesReorderedAction {
  type: 'chat/queuedMessagesReordered';
  /** Ids of queued messages. */
  order: string[];
}

/** What somebody is writing [CHAT-14]. */
export interface ChatDraftChangedAction {
  type: 'chat/draftChanged';
  /** Absent: nothing any more. */
  draft?: Message;
}

/** People are asked, or asked otherwise under the same id [CHAT-13]. */
export interface ChatInputRequestedAction {
  type: 'chat/inputRequested';
  /** Without `answers`, those given so far stay. */
  request: ChatInputRequest;
}

/** One answer as it stands [CHAT-13]. */
export interface ChatInputAnswerChangedAction {
  type: 'chat/inputAnswerChanged';
  requestId: string;
  questionId: string;
  /** Absent: taken back. */
  answer?: ChatInputAnswer;
}

/** A request is closed; the turn goes on [CHAT-13]. */
export interface ChatInputCompletedAction {
  type: 'chat/inputCompleted';
  requestId: string;
  response: ChatInputResponseKind;
  /** By question id; laid over the answers given so far. */
  answers?: Record<string, ChatInputAnswer>;
}
