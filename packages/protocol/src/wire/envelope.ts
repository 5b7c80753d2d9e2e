import type {
  AnnotationsEntryRemovedAction,
  AnnotationsEntrySetAction,
  AnnotationsRemovedAction,
  AnnotationsSetAction,
  AnnotationsUpdatedAction,
} from '../annotations/actions.ts';
import type { AnnotationsState } from '../annotations/state.ts';
import type {
  ChangesetClearedAction,
  ChangesetContentChangedAction,
  ChangesetFileRemovedAction,
  ChangesetFileSetAction,
  ChangesetFilesReviewedChangedAction,
  ChangesetOperationStatusChangedAction,
  ChangesetOperationsChangedAction,
  ChangesetStatusChangedAction,
} from '../changeset/actions.ts';
import type { ChangesetState } from '../changeset/state.ts';
import type {
  ChatActivityChangedAction,
  ChatDeltaAction,
  ChatDraftChangedAction,
  ChatErrorAction,
  ChatInputAnswerChangedAction,
  ChatInputCompletedAction,
  ChatInputRequestedAction,
  ChatPendingMessageRemovedAction,
  ChatPendingMessageSetAction,
  ChatQueuedMessagesReorderedAction,
  ChatReasoningAction,
  ChatResponsePartAction,
  ChatToolCallCompleteAction,
  ChatToolCallConfirmedAction,
  ChatToolCallContentChangedAction,
  ChatToolCallDeltaAction,
  ChatToolCallReadyAction,
  ChatToolCallResultConfirmedAction,
  ChatToolCallStartAction,
  ChatTruncatedAction,
  ChatTurnCancelledAction,
  ChatTurnCompleteAction,
  ChatTurnStartedAction,
  ChatTurnsLoadedAction,
  ChatUsageAction,
} from '../chat/actions.ts';
import type { ChatState } from '../chat/state.ts';
import type { URI } from '../common/types.ts';
import type { ResourceWatchChangedAction } from '../resource-watch/actions.ts';
import type { ResourceWatchState } from '../resource-watch/state.ts';
import type {
  RootActiveSessionsChangedAction,
  RootAgentsChangedAction,
  RootConfigChangedAction,
  RootTerminalsChangedAction,
} from '../root/actions.ts';
import type { RootState } from '../root/state.ts';
import type {
  SessionActiveClientRemovedAction,
  SessionActiveClientSetAction,
  SessionActivityChangedAction,
  SessionChangesetsChangedAction,
  SessionChatAddedAction,
  SessionChatRemovedAction,
  SessionChatUpdatedAction,
  SessionConfigChangedAction,
  SessionCreationFailedAction,
  SessionCustomizationRemovedAction,
  SessionCustomizationsChangedAction,
  SessionCustomizationToggledAction,
  SessionCustomizationUpdatedAction,
  SessionDefaultChatChangedAction,
  SessionInputNeededRemovedAction,
  SessionInputNeededSetAction,
  SessionIsArchivedChangedAction,
  SessionIsReadChangedAction,
  SessionMcpServerStartRequestedAction,
  SessionMcpServerStateChangedAction,
  SessionMcpServerStopRequestedAction,
  SessionMetaChangedAction,
  SessionReadyAction,
  SessionServerToolsChangedAction,
  SessionTitleChangedAction,
} from '../session/actions.ts';
import type { SessionState } from '../session/state.ts';
import type {
  TerminalClaimedAction,
  TerminalClearedAction,
  TerminalCommandDetectionAvailableAction,
  TerminalCommandExecutedAction,
  TerminalCommandFinishedAction,
  TerminalCwdChangedAction,
  TerminalDataAction,
  TerminalExitedAction,
  TerminalInputAction,
  TerminalResizedAction,
  TerminalTitleChangedAction,
} from '../terminal/actions.ts';
import type { TerminalState } from '../terminal/state.ts';

export interface ActionEnvelope {
  channel: URI;
  action: StateAction;
  serverSeq: number;
  origin?: ActionOrigin;
  rejectionReason?: string;
}

export interface ActionOrigin {
  clientId: string;
  clientSeq: number;
}

export interface DispatchActionParams {
  channel: URI;
  clientSeq: number;
  action: StateAction;
}

export interface Snapshot {
  resource: URI;
  state:
    | RootState
    | SessionState
    | TerminalState
    | ChangesetState
    | ResourceWatchState
    | AnnotationsState
    | ChatState;
  fromSeq: number;
}

export type StateAction =
  | RootAgentsChangedAction
  | RootActiveSessionsChangedAction
  | RootTerminalsChangedAction
  | RootConfigChangedAction
  | SessionReadyAction
  | SessionCreationFailedAction
  | SessionChatAddedAction
  | SessionChatRemovedAction
  | SessionChatUpdatedAction
  | SessionDefaultChatChangedAction
  | SessionTitleChangedAction
  | SessionServerToolsChangedAction
  | SessionActiveClientSetAction
  | SessionActiveClientRemovedAction
  | SessionInputNeededSetAction
  | SessionInputNeededRemovedAction
  | SessionCustomizationsChangedAction
  | SessionCustomizationToggledAction
  | SessionCustomizationUpdatedAction
  | SessionCustomizationRemovedAction
  | SessionMcpServerStateChangedAction
  | SessionMcpServerStartRequestedAction
  | SessionMcpServerStopRequestedAction
  | SessionIsReadChangedAction
  | SessionIsArchivedChangedAction
  | SessionActivityChangedAction
  | SessionChangesetsChangedAction
  | SessionConfigChangedAction
  | SessionMetaChangedAction
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
  | ChatPendingMessageSetAction
  | ChatPendingMessageRemovedAction
  | ChatQueuedMessagesReorderedAction
  | ChatDraftChangedAction
  | ChatInputRequestedAction
  | ChatInputAnswerChangedAction
  | ChatInputCompletedAction
  | ChatTruncatedAction
  | ChatTurnsLoadedAction
  | ChangesetStatusChangedAction
  | ChangesetFileSetAction
  | ChangesetFileRemovedAction
  | ChangesetFilesReviewedChangedAction
  | ChangesetContentChangedAction
  | ChangesetOperationsChangedAction
  | ChangesetOperationStatusChangedAction
  | ChangesetClearedAction
  | AnnotationsSetAction
  | AnnotationsUpdatedAction
  | AnnotationsRemovedAction
  | AnnotationsEntrySetAction
  | AnnotationsEntryRemovedAction
  | TerminalDataAction
  | TerminalInputAction
  | TerminalResizedAction
  | TerminalClaimedAction
  | TerminalTitleChangedAction
  | TerminalCwdChangedAction
  | TerminalExitedAction
  | TerminalClearedAction
  | TerminalCommandDetectionAvailableAction
  | TerminalCommandExecutedAction
  | TerminalCommandFinishedAction
  | ResourceWatchChangedAction;
