import type { AnnotationsAction } from '../annotations/actions.ts';
import type { AnnotationsState } from '../annotations/state.ts';
import type { AutomationAction } from '../automation/actions.ts';
import type { AutomationState } from '../automation/state.ts';
import type { AutomationRunAction } from '../automation-run/actions.ts';
import type { AutomationRunState } from '../automation-run/state.ts';
import type { CanvasAction } from '../canvas/actions.ts';
import type { CanvasState } from '../canvas/state.ts';
import type { ChangesetAction } from '../changeset/actions.ts';
import type { ChangesetState } from '../changeset/state.ts';
import type { ChatAction } from '../chat/actions.ts';
import type { ChatState } from '../chat/state.ts';
import type { ResourceWatchAction } from '../resource-watch/actions.ts';
import type { ResourceWatchState } from '../resource-watch/state.ts';
import type { RootAction } from '../root/actions.ts';
import type { RootState } from '../root/state.ts';
import type { SessionAction } from '../session/actions.ts';
import type { SessionState } from '../session/state.ts';
import type { TerminalAction } from '../terminal/actions.ts';
import type { TerminalState } from '../terminal/state.ts';
import type { StateAction } from './envelope.ts';

/** The state type of each kind of channel that has state. */
export interface ChannelState {
  root: RootState;
  session: SessionState;
  chat: ChatState;
  terminal: TerminalState;
  changeset: ChangesetState;
  annotations: AnnotationsState;
  resourceWatch: ResourceWatchState;
  automation: AutomationState;
  automationRun: AutomationRunState;
  canvas: CanvasState;
}

/** The actions of each kind of channel. An action on a channel of another kind is rejected [ACT-3]. */
export interface ChannelAction {
  root: RootAction;
  session: SessionAction;
  chat: ChatAction;
  terminal: TerminalAction;
  changeset: ChangesetAction;
  annotations: AnnotationsAction;
  resourceWatch: ResourceWatchAction;
  automation: AutomationAction;
  automationRun: AutomationRunAction;
  canvas: CanvasAction;
}

/** A kind of channel with state. Telemetry and `mcp://` channels have no state and no kind. */
export type ChannelKind = keyof ChannelState;

/** All values of {@link ChannelKind}. */
export const CHANNEL_KINDS = [
  'root',
  'session',
  'chat',
  'terminal',
  'changeset',
  'annotations',
  'resourceWatch',
  'automation',
  'automationRun',
  'canvas',
] as const satisfies readonly ChannelKind[];

/** The kind of channel of each action type of the protocol. */
export const ACTION_CHANNEL = {
  'root/agentsChanged': 'root',
  'root/activeSessionsChanged': 'root',
  'root/terminalsChanged': 'root',
  'root/configChanged': 'root',
  'session/ready': 'session',
  'session/creationFailed': 'session',
  'session/chatAdded': 'session',
  'session/chatRemoved': 'session',
  'session/chatUpdated': 'session',
  'session/chatsReordered': 'session',
  'session/defaultChatChanged': 'session',
  'session/titleChanged': 'session',
  'session/isReadChanged': 'session',
  'session/isArchivedChanged': 'session',
  'session/activityChanged': 'session',
  'session/changesetsChanged': 'session',
  'session/serverToolsChanged': 'session',
  'session/activeClientSet': 'session',
  'session/activeClientRemoved': 'session',
  'session/inputNeededSet': 'session',
  'session/inputNeededRemoved': 'session',
  'session/customizationsChanged': 'session',
  'session/customizationToggled': 'session',
  'session/customizationUpdated': 'session',
  'session/customizationRemoved': 'session',
  'session/mcpServerStateChanged': 'session',
  'session/mcpServerStartRequested': 'session',
  'session/mcpServerStopRequested': 'session',
  'session/mcpServerBackgroundRequested': 'session',
  'session/configChanged': 'session',
  'session/metaChanged': 'session',
  'session/workingDirectorySet': 'session',
  'session/workingDirectoryRemoved': 'session',
  'session/workingDirectoryReplaced': 'session',
  'chat/turnStarted': 'chat',
  'chat/delta': 'chat',
  'chat/responsePart': 'chat',
  'chat/toolCallStart': 'chat',
  'chat/toolCallDelta': 'chat',
  'chat/toolCallReady': 'chat',
  'chat/toolCallConfirmed': 'chat',
  'chat/toolCallComplete': 'chat',
  'chat/toolCallResultConfirmed': 'chat',
  'chat/toolCallContentChanged': 'chat',
  'chat/toolCallAuthRequired': 'chat',
  'chat/toolCallAuthResolved': 'chat',
  'chat/turnComplete': 'chat',
  'chat/turnCancelled': 'chat',
  'chat/error': 'chat',
  'chat/turnResume': 'chat',
  'chat/activityChanged': 'chat',
  'chat/usage': 'chat',
  'chat/reasoning': 'chat',
  'chat/truncated': 'chat',
  'chat/turnsLoaded': 'chat',
  'chat/pendingMessageSet': 'chat',
  'chat/pendingMessageRemoved': 'chat',
  'chat/queuedMessagesReordered': 'chat',
  'chat/draftChanged': 'chat',
  'chat/inputRequested': 'chat',
  'chat/inputAnswerChanged': 'chat',
  'chat/inputCompleted': 'chat',
  'chat/isReadChanged': 'chat',
  'chat/isArchivedChanged': 'chat',
  'chat/movableChanged': 'chat',
  'chat/changesetsChanged': 'chat',
  'chat/backgroundWorkSet': 'chat',
  'chat/backgroundWorkRemoved': 'chat',
  'chat/canvasesChanged': 'chat',
  'chat/workingDirectorySet': 'chat',
  'chat/workingDirectoryRemoved': 'chat',
  'changeset/statusChanged': 'changeset',
  'changeset/fileSet': 'changeset',
  'changeset/fileRemoved': 'changeset',
  'changeset/filesReviewChanged': 'changeset',
  'changeset/contentChanged': 'changeset',
  'changeset/operationsChanged': 'changeset',
  'changeset/operationStatusChanged': 'changeset',
  'changeset/cleared': 'changeset',
  'annotations/set': 'annotations',
  'annotations/updated': 'annotations',
  'annotations/removed': 'annotations',
  'annotations/entrySet': 'annotations',
  'annotations/entryRemoved': 'annotations',
  'terminal/data': 'terminal',
  'terminal/input': 'terminal',
  'terminal/resized': 'terminal',
  'terminal/claimed': 'terminal',
  'terminal/titleChanged': 'terminal',
  'terminal/cwdChanged': 'terminal',
  'terminal/exited': 'terminal',
  'terminal/cleared': 'terminal',
  'terminal/commandDetectionAvailable': 'terminal',
  'terminal/commandExecuted': 'terminal',
  'terminal/commandFinished': 'terminal',
  'resourceWatch/changed': 'resourceWatch',
  'automation/createRequested': 'automation',
  'automation/updateRequested': 'automation',
  'automation/set': 'automation',
  'automation/removed': 'automation',
  'automationRun/lifecycleChanged': 'automationRun',
  'automationRun/sessionSet': 'automationRun',
  'automationRun/sessionRemoved': 'automationRun',
  'automationRun/primarySessionChanged': 'automationRun',
  'automationRun/cancelRequested': 'automationRun',
  'canvas/stateChanged': 'canvas',
} as const satisfies { readonly [K in ChannelKind as ChannelAction[K]['type']]: K };

/** Type name of an action. */
export type ActionType = StateAction['type'];

/** Whether a type is that of an action of the protocol. False for unknown and `x-` types. */
export function isActionType(type: string): type is ActionType {
  return Object.hasOwn(ACTION_CHANNEL, type);
}

/** The action types that clients may dispatch. All others are dispatched by the host only [ACT-3]. */
export const CLIENT_ACTIONS = [
  'root/configChanged',
  'session/titleChanged',
  'session/isReadChanged',
  'session/isArchivedChanged',
  'session/activeClientSet',
  'session/activeClientRemoved',
  'session/customizationToggled',
  'session/mcpServerStartRequested',
  'session/mcpServerStopRequested',
  'session/mcpServerBackgroundRequested',
  'session/configChanged',
  'session/workingDirectorySet',
  'session/workingDirectoryRemoved',
  'session/workingDirectoryReplaced',
  'chat/turnStarted',
  'chat/toolCallConfirmed',
  'chat/toolCallComplete',
  'chat/toolCallResultConfirmed',
  'chat/toolCallContentChanged',
  'chat/turnCancelled',
  'chat/turnResume',
  'chat/truncated',
  'chat/pendingMessageSet',
  'chat/pendingMessageRemoved',
  'chat/queuedMessagesReordered',
  'chat/draftChanged',
  'chat/inputAnswerChanged',
  'chat/inputCompleted',
  'chat/isReadChanged',
  'chat/isArchivedChanged',
  'changeset/filesReviewChanged',
  'chat/workingDirectorySet',
  'chat/workingDirectoryRemoved',
  'annotations/set',
  'annotations/updated',
  'annotations/removed',
  'annotations/entrySet',
  'annotations/entryRemoved',
  'terminal/input',
  'terminal/resized',
  'terminal/claimed',
  'terminal/titleChanged',
  'terminal/cleared',
  'automation/createRequested',
  'automation/updateRequested',
  'automation/removed',
  'automationRun/cancelRequested',
] as const satisfies readonly ActionType[];

/** Type name of an action that clients may dispatch. */
export type ClientActionType = (typeof CLIENT_ACTIONS)[number];

/** An action that clients may dispatch. */
export type ClientAction = Extract<StateAction, { type: ClientActionType }>;

const CLIENT_ACTION_SET: ReadonlySet<string> = new Set(CLIENT_ACTIONS);

/** Whether clients may dispatch actions of this type [ACT-3]. */
export function isClientAction(type: string): type is ClientActionType {
  return CLIENT_ACTION_SET.has(type);
}
