import type { URI } from '../wire/basics.ts';
import { type ClientActionType, isClientAction } from '../wire/channels.ts';
import type { StateAction } from '../wire/envelope.ts';
import type { ClientRequestMethod, ClientToHostRequests } from '../wire/methods.ts';
import type { TokenScope } from './token.ts';

/** All values of {@link TokenScope}, the least powerful first. */
export const TOKEN_SCOPES = ['none', 'observe', 'interact', 'admin'] as const satisfies readonly TokenScope[];

/** Whether a token of `scope` may do something that needs `least`. */
export function isWithinScope(scope: TokenScope, least: TokenScope): boolean {
  return TOKEN_SCOPES.indexOf(scope) >= TOKEN_SCOPES.indexOf(least);
}

/** What a token of `scope` may do in a session where its person has `role`: the greater of both. `undefined`: no role. */
export function scopeWithRole(scope: TokenScope, role: TokenScope | undefined): TokenScope {
  return role !== undefined && isWithinScope(role, scope) ? role : scope;
}

/** The needed scope: fixed, or depending on the value. */
type Least<T> = TokenScope | ((given: T) => TokenScope);

/**
 * The least scope of every request. `observe` reads all sessions, chats and terminals, and changes nothing.
 * `interact` works in them, which equals a shell of the host's user: a client that types into a terminal can
 * do what that user can. `admin` changes settings that outlast the token or affect others: the host's
 * settings, tokens, `approvals=all` (in a session with that setting, `interact` works as elsewhere), imports,
 * access to files for other clients, and (not in this table: [SESS-1]) working directories outside the host's roots.
 */
export const METHOD_SCOPE: { readonly [M in ClientRequestMethod]: Least<ClientToHostRequests[M]['params']> } =
  {
    initialize: 'observe',
    reconnect: 'observe',
    ping: 'observe',
    subscribe: 'observe',
    listSessions: 'observe',
    fetchTurns: 'observe',
    'x-searchSessions': 'observe',
    'x-listApprovals': 'observe',
    'x-diskUse': 'observe',
    'x-hostDiskUse': 'observe',
    'x-listAgents': 'observe',
    'x-listPorts': 'observe',
    // These concern the caller's own connection and devices.
    'x-setPresence': 'observe',
    'x-pushKey': 'observe',
    'x-subscribePush': 'observe',
    'x-listPush': 'observe',
    'x-updatePush': 'observe',
    'x-revokePush': 'observe',
    'x-testPush': 'observe',
    // Contents that a transcript refers to are part of it. Files of the machine are not: they may hold
    // secrets that no session shows.
    resourceRead: ({ uri }) => (isContent(uri) ? 'observe' : 'interact'),
    'x-listMcpServers': 'interact',
    'x-decideMcpServer': 'interact',
    'x-startMcpSignIn': 'interact',
    'x-finishMcpSignIn': 'interact',
    resourceList: 'interact',
    resourceResolve: 'interact',
    createResourceWatch: 'interact',
    // These start agents and reveal names of files.
    resolveSessionConfig: 'interact',
    sessionConfigCompletions: 'interact',
    completions: 'interact',
    // The token is kept for the caller's own turns only [AUTH-2].
    authenticate: 'interact',
    'x-beginSignIn': 'interact',
    'x-finishSignIn': 'interact',
    createSession: ({ config }) => scopeOfSettings(config),
    disposeSession: 'interact',
    createChat: 'interact',
    disposeChat: 'interact',
    moveChat: 'interact',
    runAutomation: 'interact',
    fetchAutomationRuns: 'observe',
    listAutomationTriggerDefinitions: 'interact',
    createTerminal: 'interact',
    disposeTerminal: 'interact',
    'x-signalTerminal': 'interact',
    invokeChangesetOperation: 'interact',
    // A program of a session may change anything.
    'x-openPreview': 'interact',
    resourceWrite: 'interact',
    resourceCopy: 'interact',
    resourceMove: 'interact',
    resourceDelete: 'interact',
    resourceMkdir: 'interact',
    resourceRequest: 'interact',
    'x-revokeApproval': 'interact',
    // Of other clients only for admins.
    'x-listGrants': 'interact',
    'x-revokeGrant': 'interact',
    'x-answerGrant': 'admin',
    'x-listWorktrees': 'interact',
    'x-createWorktree': 'interact',
    'x-mergeWorktree': 'interact',
    'x-openWorktree': 'interact',
    'x-removeWorktree': 'interact',
    // An import attributes words to other people.
    'x-importSession': 'admin',
    'x-importTurns': 'admin',
    'x-finishImport': 'admin',
    // The key serves the turns of everybody.
    'x-setAgentKey': 'admin',
    // It keeps everybody from starting turns.
    'x-drainHost': 'admin',
    // A backup holds all secrets of the host, and these write files.
    'x-backup': 'admin',
    'x-checkHost': 'admin',
    'x-createToken': 'admin',
    'x-listTokens': 'admin',
    'x-revokeToken': 'admin',
    // The session's own admins too.
    'x-setSessionRole': 'admin',
    'x-listSessionRoles': 'admin',
  };

/**
 * The least scope of every action that clients may dispatch; see {@link METHOD_SCOPE}. Read marks and drafts
 * count as changes.
 */
export const ACTION_SCOPE = {
  'root/configChanged': 'admin',
  'session/titleChanged': 'interact',
  'session/isReadChanged': 'interact',
  'session/isArchivedChanged': 'interact',
  'session/activeClientSet': 'interact',
  'session/activeClientRemoved': 'interact',
  'session/customizationToggled': 'interact',
  'session/mcpServerStartRequested': 'interact',
  'session/mcpServerStopRequested': 'interact',
  'session/mcpServerBackgroundRequested': 'interact',
  'session/configChanged': ({ config }) => scopeOfSettings(config),
  'session/workingDirectorySet': 'interact',
  'session/workingDirectoryRemoved': 'interact',
  'session/workingDirectoryReplaced': 'interact',
  'chat/turnStarted': 'interact',
  'chat/toolCallConfirmed': 'interact',
  'chat/toolCallComplete': 'interact',
  'chat/toolCallResultConfirmed': 'interact',
  'chat/toolCallContentChanged': 'interact',
  'chat/turnCancelled': 'interact',
  'chat/turnResume': 'interact',
  'chat/truncated': 'interact',
  'chat/pendingMessageSet': 'interact',
  'chat/pendingMessageRemoved': 'interact',
  'chat/queuedMessagesReordered': 'interact',
  'chat/draftChanged': 'interact',
  'chat/inputAnswerChanged': 'interact',
  'chat/inputCompleted': 'interact',
  'chat/isReadChanged': 'interact',
  'chat/isArchivedChanged': 'interact',
  'changeset/filesReviewChanged': 'interact',
  'chat/workingDirectorySet': 'interact',
  'chat/workingDirectoryRemoved': 'interact',
  'annotations/set': 'interact',
  'annotations/updated': 'interact',
  'annotations/removed': 'interact',
  'annotations/entrySet': 'interact',
  'annotations/entryRemoved': 'interact',
  'terminal/input': 'interact',
  'terminal/resized': 'interact',
  'terminal/claimed': 'interact',
  'terminal/titleChanged': 'interact',
  'terminal/cleared': 'interact',
  'automation/createRequested': 'interact',
  'automation/updateRequested': 'interact',
  'automation/removed': 'interact',
  'automationRun/cancelRequested': 'interact',
} as const satisfies { readonly [T in ClientActionType]: Least<Extract<StateAction, { type: T }>> };

/** The least scope for a request with these params, which must fit their schema. */
export function scopeOfRequest<M extends ClientRequestMethod>(
  method: M,
  params: ClientToHostRequests[M]['params'],
): TokenScope {
  const least = METHOD_SCOPE[method];
  return typeof least === 'function' ? least(params) : least;
}

/**
 * The least scope for dispatching an action, which must fit its schema. `undefined` when clients may not
 * dispatch it.
 */
export function scopeOfAction(action: StateAction): TokenScope | undefined {
  if (action.type === 'session/configChanged') return ACTION_SCOPE[action.type](action);
  return isClientAction(action.type) ? ACTION_SCOPE[action.type] : undefined;
}

/** Content that the host stores for transcripts. */
const isContent = (uri: URI): boolean => uri.startsWith('agenthost-content:/');

/** With `approvals=all` agents run every tool without a question, also after the token is gone. */
const scopeOfSettings = (config: Readonly<Record<string, unknown>> | undefined): TokenScope =>
  config?.['approvals'] === 'all' ? 'admin' : 'interact';
