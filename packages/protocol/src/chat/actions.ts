import type { CanvasReference } from '../canvas/state.ts';
import type { Changeset } from '../changeset/state.ts';
import type { McpAuthRequirement } from '../mcp/state.ts';
import type { StringOrMarkdown, URI, WithMeta } from '../wire/basics.ts';
import type { Author } from './author.ts';
import type { ChatInputAnswer, ChatInputRequest, ChatInputResponseKind } from './input-request.ts';
import type { Message } from './message.ts';
import type {
  BackgroundWork,
  ErrorResponsePart,
  PendingMessageKind,
  ResponsePart,
  Turn,
  UsageInfo,
} from './state.ts';
import type {
  ConfirmationOption,
  FileEdit,
  ToolCallConfirmationReason,
  ToolCallContributor,
  ToolCallResult,
  ToolCallRiskAssessment,
  ToolInput,
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
  | ChatToolCallAuthRequiredAction
  | ChatToolCallAuthResolvedAction
  | ChatTurnCompleteAction
  | ChatTurnCancelledAction
  | ChatErrorAction
  | ChatTurnResumeAction
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
  | ChatInputCompletedAction
  | ChatIsReadChangedAction
  | ChatIsArchivedChangedAction
  | ChatMovableChangedAction
  | ChatChangesetsChangedAction
  | ChatBackgroundWorkSetAction
  | ChatBackgroundWorkRemovedAction
  | ChatCanvasesChangedAction
  | ChatWorkingDirectorySetAction
  | ChatWorkingDirectoryRemovedAction;

/**
 * Fields of actions that belong to a turn. For any other turn than the active one they change nothing
 * [CHAT-4].
 */
export interface ChatTurnActionBase extends WithMeta {
  turnId: string;
}

/** Fields of actions that belong to a tool call. A `_meta` replaces that of the tool call [CHAT-7]. */
export interface ToolCallActionBase extends ChatTurnActionBase {
  toolCallId: string;
}

/** A turn begins [CHAT-3]. */
export interface ChatTurnStartedAction extends ChatTurnActionBase {
  type: 'chat/turnStarted';
  /** ISO 8601, by the sender's clock. The host rejects other texts [CHAT-20]. */
  startedAt: string;
  message: Message;
  /** The pending message that becomes this turn. Absent: none. */
  queuedMessageId?: string;
  /** Extension: who sent the message. */
  'x-by'?: Author;
}

/** Fields of actions that end a turn. */
export interface ChatTurnEndActionBase extends ChatTurnActionBase {
  /** Milliseconds since the turn's `startedAt`, by the sender's clock. Below 0 counts as 0 [CHAT-20]. */
  duration: number;
}

/** The turn completes [CHAT-5]. */
export interface ChatTurnCompleteAction extends ChatTurnEndActionBase {
  type: 'chat/turnComplete';
}

/** The turn is cancelled [CHAT-5]. */
export interface ChatTurnCancelledAction extends ChatTurnEndActionBase {
  type: 'chat/turnCancelled';
  /** Extension: who cancelled it. */
  'x-by'?: Author;
}

/** The turn fails [CHAT-22]. */
export interface ChatErrorAction extends ChatTurnEndActionBase {
  type: 'chat/error';
  /** Becomes the last part of the turn. */
  part: ErrorResponsePart;
}

/** The last turn, which has failed, runs on [CHAT-23]. */
export interface ChatTurnResumeAction {
  type: 'chat/turnResume';
  turnId: string;
}

/** Adds a response part [CHAT-4]. */
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

/** Changes the description of the present activity. */
export interface ChatActivityChangedAction {
  type: 'chat/activityChanged';
  /** Absent: none. */
  activity?: string;
}

/** A tool call starts; its input follows [CHAT-7]. */
export interface ChatToolCallStartAction extends ToolCallActionBase {
  type: 'chat/toolCallStart';
  toolName: string;
  displayName: string;
  intention?: string;
  /** Absent: a tool of the host or the agent. */
  contributor?: ToolCallContributor;
}

/** Appends to the input of a tool call [CHAT-7]. */
export interface ChatToolCallDeltaAction extends ToolCallActionBase {
  type: 'chat/toolCallDelta';
  /** Appended. Absent: no input arrived [CHAT-36]. */
  content?: string;
  /** Absent: unchanged. */
  invocationMessage?: StringOrMarkdown;
}

/**
 * The input of a tool call is complete, or a running call asks again [CHAT-7]. For a call that waits for approval it changes what the question
 * shows, and fields that it does not repeat stay [CHAT-33].
 */
export interface ChatToolCallReadyAction extends ToolCallActionBase {
  type: 'chat/toolCallReady';
  /** Replaces the provisional one, unless either is a client [CHAT-34]. */
  contributor?: ToolCallContributor;
  /** Replaces the provisional one [CHAT-34]. */
  intention?: string;
  invocationMessage: StringOrMarkdown;
  /** Absent: the earlier input stays [CHAT-35]. */
  toolInput?: ToolInput;
  confirmationTitle?: StringOrMarkdown;
  riskAssessment?: ToolCallRiskAssessment;
  edits?: { items: FileEdit[] };
  /** Absent: false. */
  editable?: boolean;
  /** Present: the call runs at once. Absent: it waits for a person. */
  confirmed?: ToolCallConfirmationReason;
  options?: ConfirmationOption[];
}

/** The answer to a tool call that waits for approval [CHAT-8]. */
export type ChatToolCallConfirmedAction = ChatToolCallApprovedAction | ChatToolCallDeniedAction;

/** Fields of both answers. */
export interface ChatToolCallConfirmedActionBase extends ToolCallActionBase {
  type: 'chat/toolCallConfirmed';
  /** Id of one of the offered options; its kind must match `approved` [CHAT-8]. */
  selectedOptionId?: string;
  /** Extension: who answered. */
  'x-by'?: Author;
}

/** Approval: the call runs. */
export interface ChatToolCallApprovedAction extends ChatToolCallConfirmedActionBase {
  approved: true;
  confirmed: ToolCallConfirmationReason;
  /**
   * Replaces `toolInput`; only when the call is `editable` [CHAT-8]. A reference stays, and the host rewrites the referenced content
   * [CHAT-35].
   */
  editedToolInput?: string;
}

/** Denial: the call is cancelled. */
export interface ChatToolCallDeniedAction extends ChatToolCallConfirmedActionBase {
  approved: false;
  reason: 'denied' | 'skipped';
  /** Message of the user about a better action than the call. */
  userSuggestion?: Message;
  /** Reason, for people. */
  reasonMessage?: StringOrMarkdown;
}

/** A tool call has ended. Only its contributor or the host may dispatch this [CHAT-7] [CHAT-8]. */
export interface ChatToolCallCompleteAction extends ToolCallActionBase {
  type: 'chat/toolCallComplete';
  result: ToolCallResult;
  /** True: a person must approve the result. Absent: false. */
  requiresResultConfirmation?: boolean;
}

/**
 * The answer to a tool call whose result waits for approval; false cancels it with `result-denied` [CHAT-7].
 */
export interface ChatToolCallResultConfirmedAction extends ToolCallActionBase {
  type: 'chat/toolCallResultConfirmed';
  approved: boolean;
  /** Extension: who answered. */
  'x-by'?: Author;
}

/** Replaces the partial result of a running tool call [CHAT-7]. */
export interface ChatToolCallContentChangedAction extends ToolCallActionBase {
  type: 'chat/toolCallContentChanged';
  content: ToolResultContent[];
}

/** A running call of an MCP tool needs a token; it keeps its partial content [CHAT-30]. */
export interface ChatToolCallAuthRequiredAction extends ToolCallActionBase {
  type: 'chat/toolCallAuthRequired';
  auth: McpAuthRequirement;
}

/** The call has its token and runs again [CHAT-30]. */
export interface ChatToolCallAuthResolvedAction extends ToolCallActionBase {
  type: 'chat/toolCallAuthResolved';
}

/** Removes all turns after one, including the active turn [CHAT-6]. */
export interface ChatTruncatedAction {
  type: 'chat/truncated';
  /** The last turn to keep. Absent: all turns are removed. */
  turnId?: string;
}

/** Adds older turns at the front of a client's window; sent to that client only [CHAT-15] [ACT-7]. */
export interface ChatTurnsLoadedAction {
  type: 'chat/turnsLoaded';
  /** Oldest first. */
  turns: Turn[];
  /** Absent: there are no older turns. */
  turnsNextCursor?: string;
  /**
   * Extension: the oldest turn that the chat still has. Earlier ones were deleted because of their age and
   * leave the window.
   */
  'x-from'?: string;
}

/** Sets a pending message: the steering message or a queued one [CHAT-11]. */
export interface ChatPendingMessageSetAction {
  type: 'chat/pendingMessageSet';
  kind: PendingMessageKind;
  id: string;
  message: Message;
  /** Extension: who set it. */
  'x-by'?: Author;
}

/** Removes a pending message that was withdrawn or used [CHAT-11]. */
export interface ChatPendingMessageRemovedAction {
  type: 'chat/pendingMessageRemoved';
  kind: PendingMessageKind;
  id: string;
  /** Extension: who withdrew it. Absent: it was used. */
  'x-by'?: Author;
}

/** Reorders the queue. Messages that are not listed follow in their old order [CHAT-11]. */
export interface ChatQueuedMessagesReorderedAction {
  type: 'chat/queuedMessagesReordered';
  /** Ids of queued messages. */
  order: string[];
}

/** Changes the draft [CHAT-14]. */
export interface ChatDraftChangedAction {
  type: 'chat/draftChanged';
  /** Absent: the draft is removed. */
  draft?: Message;
}

/** Adds an open input request to the active turn, or replaces the open one with the same id [CHAT-28]. */
export interface ChatInputRequestedAction {
  type: 'chat/inputRequested';
  /** Without `answers`, the present answers stay. */
  request: ChatInputRequest;
}

/** Sets one answer of an input request [CHAT-28]. */
export interface ChatInputAnswerChangedAction {
  type: 'chat/inputAnswerChanged';
  requestId: string;
  questionId: string;
  /** Absent: the answer is removed. */
  answer?: ChatInputAnswer;
}

/** Closes an input request; the turn continues [CHAT-28]. */
export interface ChatInputCompletedAction {
  type: 'chat/inputCompleted';
  requestId: string;
  response: ChatInputResponseKind;
  /** By question id; applied on top of the present answers. */
  answers?: Record<string, ChatInputAnswer>;
  /** Extension: who closed it. */
  'x-by'?: Author;
}

/** Sets or clears the bit `IsRead` of the chat. That of the session does not change [CHAT-42]. */
export interface ChatIsReadChangedAction {
  type: 'chat/isReadChanged';
  isRead: boolean;
}

/** Sets or clears the bit `IsArchived` of the chat. That of the session does not change [CHAT-42]. */
export interface ChatIsArchivedChangedAction {
  type: 'chat/isArchivedChanged';
  isArchived: boolean;
}

/** Changes whether the chat can be moved [CHAT-45]. */
export interface ChatMovableChangedAction {
  type: 'chat/movableChanged';
  movable: boolean;
}

/** Replaces the chat's catalogue of changesets [CHAT-43]. */
export interface ChatChangesetsChangedAction {
  type: 'chat/changesetsChanged';
  /** Absent: none are known. */
  changesets?: Changeset[];
}

/** Adds background work, or replaces the entry with the same id in its place [CHAT-46]. */
export interface ChatBackgroundWorkSetAction {
  type: 'chat/backgroundWorkSet';
  work: BackgroundWork;
}

/** Background work has ended. An unknown id changes nothing [CHAT-46]. */
export interface ChatBackgroundWorkRemovedAction {
  type: 'chat/backgroundWorkRemoved';
  id: string;
}

/** Replaces the chat's canvases. Experimental [CHAT-47]. */
export interface ChatCanvasesChangedAction {
  type: 'chat/canvasesChanged';
  /** Absent: none. */
  canvases?: CanvasReference[];
}

/** Appends a directory of the session to those of the chat, unless it is in the list [CHAT-41]. */
export interface ChatWorkingDirectorySetAction {
  type: 'chat/workingDirectorySet';
  directory: URI;
}

/** Removes a directory of the chat. One that is not in the list changes nothing [CHAT-41]. */
export interface ChatWorkingDirectoryRemovedAction {
  type: 'chat/workingDirectoryRemoved';
  directory: URI;
}
