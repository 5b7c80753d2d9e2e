import type { AuthenticateParams, AuthenticateResult, AuthRequiredParams } from '../auth/auth.ts';
import type {
  ListSessionRolesParams,
  ListSessionRolesResult,
  RolesChangedParams,
  SetSessionRoleParams,
  SetSessionRoleResult,
} from '../auth/session-role.ts';
import type {
  BeginSignInParams,
  BeginSignInResult,
  FinishSignInParams,
  FinishSignInResult,
} from '../auth/sign-in.ts';
import type {
  CreateTokenParams,
  CreateTokenResult,
  ListTokensParams,
  ListTokensResult,
  RevokeTokenParams,
} from '../auth/token.ts';
import type {
  FetchAutomationRunsParams,
  FetchAutomationRunsResult,
  ListAutomationTriggerDefinitionsParams,
  ListAutomationTriggerDefinitionsResult,
  RunAutomationParams,
  RunAutomationResult,
} from '../automation/commands.ts';
import type {
  InvokeChangesetOperationParams,
  InvokeChangesetOperationResult,
} from '../changeset/commands.ts';
import type {
  CompletionsParams,
  CompletionsResult,
  CreateChatParams,
  DisposeChatParams,
  FetchTurnsParams,
  FetchTurnsResult,
  MoveChatParams,
  MoveChatResult,
} from '../chat/commands.ts';
import type {
  DecideMcpServerParams,
  DecideMcpServerResult,
  FinishMcpSignInParams,
  FinishMcpSignInResult,
  ListMcpServersParams,
  ListMcpServersResult,
  StartMcpSignInParams,
  StartMcpSignInResult,
} from '../mcp/commands.ts';
import type { AhpMcpUiHostCapabilities } from '../mcp/state.ts';
import type { PresenceChangedParams, SetPresenceParams } from '../presence/presence.ts';
import type {
  ListPushParams,
  ListPushResult,
  PushKeyParams,
  PushKeyResult,
  RevokePushParams,
  SubscribePushParams,
  SubscribePushResult,
  TestPushParams,
  TestPushResult,
  UpdatePushParams,
} from '../push/push.ts';
import type {
  ResourceCopyParams,
  ResourceCopyResult,
  ResourceDeleteParams,
  ResourceDeleteResult,
  ResourceListParams,
  ResourceListResult,
  ResourceMkdirParams,
  ResourceMkdirResult,
  ResourceMoveParams,
  ResourceMoveResult,
  ResourceReadParams,
  ResourceReadResult,
  ResourceRequestParams,
  ResourceRequestResult,
  ResourceResolveParams,
  ResourceResolveResult,
  ResourceWriteParams,
  ResourceWriteResult,
} from '../resource/commands.ts';
import type {
  AnswerGrantParams,
  GrantsChangedParams,
  ListGrantsParams,
  ListGrantsResult,
  RevokeGrantParams,
} from '../resource/grants.ts';
import type { CreateResourceWatchParams, CreateResourceWatchResult } from '../resource-watch/commands.ts';
import type {
  ListAgentsParams,
  ListAgentsResult,
  SetAgentKeyParams,
  SetAgentKeyResult,
} from '../root/agent-health.ts';
import type {
  ListApprovalsParams,
  ListApprovalsResult,
  ListSessionsParams,
  ListSessionsResult,
  ResolveSessionConfigParams,
  ResolveSessionConfigResult,
  RevokeApprovalParams,
  SearchSessionsParams,
  SearchSessionsResult,
  SessionConfigCompletionsParams,
  SessionConfigCompletionsResult,
} from '../root/commands.ts';
import type {
  ProgressParams,
  SessionAddedParams,
  SessionRemovedParams,
  SessionSummaryChangedParams,
} from '../root/notifications.ts';
import type {
  BackupParams,
  BackupResult,
  CheckHostParams,
  CheckHostResult,
  CreateSessionParams,
  DiskUseParams,
  DiskUseResult,
  DisposeSessionParams,
  DrainHostParams,
  DrainHostResult,
  HostDiskUseParams,
  HostDiskUseResult,
} from '../session/commands.ts';
import type {
  FinishImportParams,
  ImportSessionParams,
  ImportSessionResult,
  ImportTurnsParams,
} from '../session/import.ts';
import type {
  ListPortsParams,
  ListPortsResult,
  OpenPreviewParams,
  OpenPreviewResult,
} from '../session/ports.ts';
import type {
  OtlpExportLogsParams,
  OtlpExportMetricsParams,
  OtlpExportTracesParams,
} from '../telemetry/telemetry.ts';
import type {
  CreateTerminalParams,
  DisposeTerminalParams,
  SignalTerminalParams,
} from '../terminal/commands.ts';
import type {
  CreateWorktreeParams,
  CreateWorktreeResult,
  ListWorktreesParams,
  ListWorktreesResult,
  MergeWorktreeParams,
  OpenWorktreeParams,
  RemoveWorktreeParams,
  WorktreeOutcome,
} from '../worktree/commands.ts';
import type { ActionEnvelope, DispatchActionParams } from './envelope.ts';
import type {
  InitializeParams,
  InitializeResult,
  PingParams,
  ReconnectParams,
  ReconnectResult,
  SubscribeParams,
  SubscribeResult,
  UnsubscribeParams,
} from './handshake.ts';

/** The file requests that both peers may send [WIRE-5] [RES-4]. */
export interface ResourceRequests {
  resourceRead: { params: ResourceReadParams; result: ResourceReadResult };
  resourceWrite: { params: ResourceWriteParams; result: ResourceWriteResult };
  resourceList: { params: ResourceListParams; result: ResourceListResult };
  resourceCopy: { params: ResourceCopyParams; result: ResourceCopyResult };
  resourceMove: { params: ResourceMoveParams; result: ResourceMoveResult };
  resourceDelete: { params: ResourceDeleteParams; result: ResourceDeleteResult };
  resourceResolve: { params: ResourceResolveParams; result: ResourceResolveResult };
  resourceMkdir: { params: ResourceMkdirParams; result: ResourceMkdirResult };
  resourceRequest: { params: ResourceRequestParams; result: ResourceRequestResult };
  createResourceWatch: { params: CreateResourceWatchParams; result: CreateResourceWatchResult };
}

/**
 * Every request that a client may send, by method name. Commands that only create or dispose are answered
 * with `null`. Requests on an `mcp://` channel use the methods of MCP and are not listed; see {@link
 * MCP_METHOD_CAPABILITY}.
 */
export interface ClientToHostRequests extends ResourceRequests {
  initialize: { params: InitializeParams; result: InitializeResult };
  ping: { params: PingParams; result: null };
  reconnect: { params: ReconnectParams; result: ReconnectResult };
  subscribe: { params: SubscribeParams; result: SubscribeResult };
  authenticate: { params: AuthenticateParams; result: AuthenticateResult };
  listSessions: { params: ListSessionsParams; result: ListSessionsResult };
  resolveSessionConfig: { params: ResolveSessionConfigParams; result: ResolveSessionConfigResult };
  sessionConfigCompletions: {
    params: SessionConfigCompletionsParams;
    result: SessionConfigCompletionsResult;
  };
  createSession: { params: CreateSessionParams; result: null };
  disposeSession: { params: DisposeSessionParams; result: null };
  'x-searchSessions': { params: SearchSessionsParams; result: SearchSessionsResult };
  'x-listApprovals': { params: ListApprovalsParams; result: ListApprovalsResult };
  'x-revokeApproval': { params: RevokeApprovalParams; result: null };
  'x-listGrants': { params: ListGrantsParams; result: ListGrantsResult };
  'x-answerGrant': { params: AnswerGrantParams; result: null };
  'x-revokeGrant': { params: RevokeGrantParams; result: null };
  'x-listWorktrees': { params: ListWorktreesParams; result: ListWorktreesResult };
  'x-createWorktree': { params: CreateWorktreeParams; result: CreateWorktreeResult };
  'x-mergeWorktree': { params: MergeWorktreeParams; result: WorktreeOutcome };
  'x-openWorktree': { params: OpenWorktreeParams; result: WorktreeOutcome };
  'x-removeWorktree': { params: RemoveWorktreeParams; result: WorktreeOutcome };
  'x-createToken': { params: CreateTokenParams; result: CreateTokenResult };
  'x-listTokens': { params: ListTokensParams; result: ListTokensResult };
  'x-revokeToken': { params: RevokeTokenParams; result: null };
  'x-setSessionRole': { params: SetSessionRoleParams; result: SetSessionRoleResult };
  'x-listSessionRoles': { params: ListSessionRolesParams; result: ListSessionRolesResult };
  'x-importSession': { params: ImportSessionParams; result: ImportSessionResult };
  'x-importTurns': { params: ImportTurnsParams; result: null };
  'x-finishImport': { params: FinishImportParams; result: null };
  'x-diskUse': { params: DiskUseParams; result: DiskUseResult };
  'x-hostDiskUse': { params: HostDiskUseParams; result: HostDiskUseResult };
  'x-drainHost': { params: DrainHostParams; result: DrainHostResult };
  'x-backup': { params: BackupParams; result: BackupResult };
  'x-checkHost': { params: CheckHostParams; result: CheckHostResult };
  'x-listPorts': { params: ListPortsParams; result: ListPortsResult };
  'x-openPreview': { params: OpenPreviewParams; result: OpenPreviewResult };
  'x-listMcpServers': { params: ListMcpServersParams; result: ListMcpServersResult };
  'x-decideMcpServer': { params: DecideMcpServerParams; result: DecideMcpServerResult };
  'x-startMcpSignIn': { params: StartMcpSignInParams; result: StartMcpSignInResult };
  'x-finishMcpSignIn': { params: FinishMcpSignInParams; result: FinishMcpSignInResult };
  'x-listAgents': { params: ListAgentsParams; result: ListAgentsResult };
  'x-setAgentKey': { params: SetAgentKeyParams; result: SetAgentKeyResult };
  'x-beginSignIn': { params: BeginSignInParams; result: BeginSignInResult };
  'x-finishSignIn': { params: FinishSignInParams; result: FinishSignInResult };
  'x-setPresence': { params: SetPresenceParams; result: null };
  'x-pushKey': { params: PushKeyParams; result: PushKeyResult };
  'x-subscribePush': { params: SubscribePushParams; result: SubscribePushResult };
  'x-listPush': { params: ListPushParams; result: ListPushResult };
  'x-updatePush': { params: UpdatePushParams; result: null };
  'x-revokePush': { params: RevokePushParams; result: null };
  'x-testPush': { params: TestPushParams; result: TestPushResult };
  createChat: { params: CreateChatParams; result: null };
  disposeChat: { params: DisposeChatParams; result: null };
  moveChat: { params: MoveChatParams; result: MoveChatResult };
  fetchTurns: { params: FetchTurnsParams; result: FetchTurnsResult };
  completions: { params: CompletionsParams; result: CompletionsResult };
  createTerminal: { params: CreateTerminalParams; result: null };
  disposeTerminal: { params: DisposeTerminalParams; result: null };
  'x-signalTerminal': { params: SignalTerminalParams; result: null };
  invokeChangesetOperation: {
    params: InvokeChangesetOperationParams;
    result: InvokeChangesetOperationResult;
  };
  runAutomation: { params: RunAutomationParams; result: RunAutomationResult };
  fetchAutomationRuns: { params: FetchAutomationRunsParams; result: FetchAutomationRunsResult };
  listAutomationTriggerDefinitions: {
    params: ListAutomationTriggerDefinitionsParams;
    result: ListAutomationTriggerDefinitionsResult;
  };
}

/** Every notification that a client may send: method name → params. */
export interface ClientToHostNotifications {
  dispatchAction: DispatchActionParams;
  unsubscribe: UnsubscribeParams;
}

/** Every request that a host may send, for URIs that the client publishes [RES-4]. */
export interface HostToClientRequests extends ResourceRequests {}

/** Every notification that a host may send: method name → params. */
export interface HostToClientNotifications {
  action: ActionEnvelope;
  'root/sessionAdded': SessionAddedParams;
  'root/sessionRemoved': SessionRemovedParams;
  'root/sessionSummaryChanged': SessionSummaryChangedParams;
  'root/progress': ProgressParams;
  'auth/required': AuthRequiredParams;
  'x-presenceChanged': PresenceChangedParams;
  'x-rolesChanged': RolesChangedParams;
  'x-grantsChanged': GrantsChangedParams;
  'otlp/exportLogs': OtlpExportLogsParams;
  'otlp/exportTraces': OtlpExportTracesParams;
  'otlp/exportMetrics': OtlpExportMetricsParams;
}

/** Name of a request that a client may send. */
export type ClientRequestMethod = keyof ClientToHostRequests;
/** Name of a notification that a client may send. */
export type ClientNotificationMethod = keyof ClientToHostNotifications;
/** Name of a request that a host may send. */
export type HostRequestMethod = keyof HostToClientRequests;
/** Name of a notification that a host may send. */
export type HostNotificationMethod = keyof HostToClientNotifications;

/** All notifications other than envelopes: never journaled or replayed [CONN-5]. */
export type ProtocolNotification = {
  [M in Exclude<HostNotificationMethod, 'action'>]: { method: M; params: HostToClientNotifications[M] };
}[Exclude<HostNotificationMethod, 'action'>];

/** Names of the requests that both peers answer [WIRE-5]. */
export const RESOURCE_METHODS = [
  'resourceRead',
  'resourceWrite',
  'resourceList',
  'resourceCopy',
  'resourceMove',
  'resourceDelete',
  'resourceResolve',
  'resourceMkdir',
  'resourceRequest',
  'createResourceWatch',
] as const satisfies readonly (keyof ResourceRequests)[];

/** Names of {@link ClientToHostRequests}. */
export const CLIENT_REQUEST_METHODS = [
  'initialize',
  'ping',
  'reconnect',
  'subscribe',
  'authenticate',
  'listSessions',
  'resolveSessionConfig',
  'sessionConfigCompletions',
  'createSession',
  'disposeSession',
  'x-searchSessions',
  'x-listApprovals',
  'x-revokeApproval',
  'x-listGrants',
  'x-answerGrant',
  'x-revokeGrant',
  'x-listWorktrees',
  'x-createWorktree',
  'x-mergeWorktree',
  'x-openWorktree',
  'x-removeWorktree',
  'x-createToken',
  'x-listTokens',
  'x-revokeToken',
  'x-setSessionRole',
  'x-listSessionRoles',
  'x-importSession',
  'x-importTurns',
  'x-finishImport',
  'x-diskUse',
  'x-hostDiskUse',
  'x-drainHost',
  'x-backup',
  'x-checkHost',
  'x-listPorts',
  'x-openPreview',
  'x-listMcpServers',
  'x-decideMcpServer',
  'x-startMcpSignIn',
  'x-finishMcpSignIn',
  'x-listAgents',
  'x-setAgentKey',
  'x-beginSignIn',
  'x-finishSignIn',
  'x-setPresence',
  'x-pushKey',
  'x-subscribePush',
  'x-listPush',
  'x-updatePush',
  'x-revokePush',
  'x-testPush',
  'createChat',
  'disposeChat',
  'moveChat',
  'fetchTurns',
  'completions',
  'createTerminal',
  'disposeTerminal',
  'x-signalTerminal',
  'invokeChangesetOperation',
  'runAutomation',
  'fetchAutomationRuns',
  'listAutomationTriggerDefinitions',
  ...RESOURCE_METHODS,
] as const satisfies readonly ClientRequestMethod[];

/** Names of {@link ClientToHostNotifications}. */
export const CLIENT_NOTIFICATION_METHODS = [
  'dispatchAction',
  'unsubscribe',
] as const satisfies readonly ClientNotificationMethod[];

/** Names of {@link HostToClientRequests}. */
export const HOST_REQUEST_METHODS = RESOURCE_METHODS satisfies readonly HostRequestMethod[];

/** Names of {@link HostToClientNotifications}. */
export const HOST_NOTIFICATION_METHODS = [
  'action',
  'root/sessionAdded',
  'root/sessionRemoved',
  'root/sessionSummaryChanged',
  'root/progress',
  'auth/required',
  'x-presenceChanged',
  'x-rolesChanged',
  'x-grantsChanged',
  'otlp/exportLogs',
  'otlp/exportTraces',
  'otlp/exportMetrics',
] as const satisfies readonly HostNotificationMethod[];

/** Methods that a host forwards on an `mcp://` channel, with the capability that each needs [MCP-2]. */
export const MCP_METHOD_CAPABILITY = {
  'tools/list': 'serverTools',
  'tools/call': 'serverTools',
  'resources/list': 'serverResources',
  'resources/templates/list': 'serverResources',
  'resources/read': 'serverResources',
  'logging/setLevel': 'logging',
  'notifications/message': 'logging',
  'sampling/createMessage': 'sampling',
} as const satisfies Record<string, keyof AhpMcpUiHostCapabilities>;
