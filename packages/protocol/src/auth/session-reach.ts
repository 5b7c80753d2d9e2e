import type { Message } from '../chat/message.ts';
import type { URI } from '../wire/basics.ts';
import type { ClientActionType } from '../wire/channels.ts';
import type { StateAction } from '../wire/envelope.ts';
import type { ClientRequestMethod, ClientToHostRequests } from '../wire/methods.ts';
import { METHOD_SCOPE } from './scope.ts';
import type { TokenScope } from './token.ts';

/**
 * The objects of a request, and the rights that it requires:
 * - `host`: more than one session, or objects outside of sessions. The request requires a scope on the host.
 * - `own`: the connection itself, or a list that the host limits to what the caller may see. Every token may send the request.
 * - `shared`: the request requires a role in any session. The URI of a stored content cannot be guessed, and only transcripts show it; a device gets the
 *   pushes of the sessions in which its person has a role.
 * - URIs: the channels of sessions. The request requires a role in the session of each of them.
 */
export type Reach = 'host' | 'own' | 'shared' | readonly URI[];

type ReachOf<T> = 'host' | 'own' | 'shared' | ((params: T) => Reach);

const ofChannel = ({ channel }: { readonly channel: URI }): Reach => [channel];

/** The reach of each request: `host` unless the request certainly stays within sessions. */
const METHOD_REACH: {
  readonly [M in ClientRequestMethod]: ReachOf<ClientToHostRequests[M]['params']>;
} = {
  initialize: 'own',
  reconnect: 'own',
  ping: 'own',
  subscribe: 'own',
  listSessions: 'own',
  'x-searchSessions': 'own',
  'x-setPresence': 'own',
  'x-pushKey': 'shared',
  'x-subscribePush': 'shared',
  'x-testPush': 'shared',
  'x-listPush': 'own',
  'x-updatePush': 'own',
  'x-revokePush': 'own',
  fetchTurns: ofChannel,
  'x-diskUse': ofChannel,
  createChat: ({ channel, source }) => (source === undefined ? [channel] : [channel, source.chat]),
  disposeChat: ofChannel,
  // Without names of files.
  completions: ofChannel,
  disposeSession: ofChannel,
  invokeChangesetOperation: ofChannel,
  'x-setSessionRole': ({ session }) => [session],
  'x-listSessionRoles': ({ session }) => (session === undefined ? 'host' : [session]),
  resourceRead: ({ uri }) => (uri.startsWith('agenthost-content:/') ? 'shared' : 'host'),
  'x-listApprovals': 'host',
  'x-hostDiskUse': 'host',
  'x-listAgents': 'host',
  'x-listPorts': 'host',
  'x-listMcpServers': 'host',
  'x-decideMcpServer': 'host',
  'x-startMcpSignIn': 'host',
  'x-finishMcpSignIn': 'host',
  resourceList: 'host',
  resourceResolve: 'host',
  createResourceWatch: 'host',
  resolveSessionConfig: 'host',
  sessionConfigCompletions: 'host',
  authenticate: 'host',
  'x-beginSignIn': 'host',
  'x-finishSignIn': 'host',
  createSession: 'host',
  // Takes a chat out of its session.
  moveChat: 'host',
  runAutomation: 'host',
  fetchAutomationRuns: 'host',
  listAutomationTriggerDefinitions: 'host',
  createTerminal: 'host',
  disposeTerminal: 'host',
  'x-signalTerminal': 'host',
  'x-openPreview': 'host',
  resourceWrite: 'host',
  resourceCopy: 'host',
  resourceMove: 'host',
  resourceDelete: 'host',
  resourceMkdir: 'host',
  resourceRequest: 'host',
  'x-revokeApproval': 'host',
  'x-listGrants': 'host',
  'x-revokeGrant': 'host',
  'x-answerGrant': 'host',
  'x-listWorktrees': 'host',
  'x-createWorktree': 'host',
  'x-mergeWorktree': 'host',
  'x-openWorktree': 'host',
  'x-removeWorktree': 'host',
  'x-importSession': 'host',
  'x-importTurns': 'host',
  'x-finishImport': 'host',
  'x-setAgentKey': 'host',
  'x-drainHost': 'host',
  'x-backup': 'host',
  'x-checkHost': 'host',
  'x-createToken': 'host',
  'x-listTokens': 'host',
  'x-revokeToken': 'host',
};

/** The actions for which a role in the session of the channel is sufficient. Others require a scope on the host. */
const IN_SESSION = {
  'root/configChanged': false,
  'session/titleChanged': true,
  'session/isReadChanged': true,
  'session/isArchivedChanged': true,
  // Client tools, plugins and MCP servers add programs and files from outside of the session.
  'session/activeClientSet': false,
  'session/activeClientRemoved': false,
  'session/customizationToggled': false,
  'session/mcpServerStartRequested': false,
  'session/mcpServerStopRequested': false,
  'session/mcpServerBackgroundRequested': false,
  'session/configChanged': true,
  'session/workingDirectorySet': false,
  'session/workingDirectoryRemoved': false,
  'session/workingDirectoryReplaced': false,
  'chat/turnStarted': true,
  'chat/toolCallConfirmed': true,
  // For client tools.
  'chat/toolCallComplete': false,
  'chat/toolCallResultConfirmed': true,
  'chat/toolCallContentChanged': false,
  'chat/turnCancelled': true,
  'chat/turnResume': true,
  'chat/truncated': true,
  'chat/pendingMessageSet': true,
  'chat/pendingMessageRemoved': true,
  'chat/queuedMessagesReordered': true,
  'chat/draftChanged': true,
  'chat/inputAnswerChanged': true,
  'chat/inputCompleted': true,
  'chat/isReadChanged': true,
  'chat/isArchivedChanged': true,
  'changeset/filesReviewChanged': true,
  'chat/workingDirectorySet': false,
  'chat/workingDirectoryRemoved': false,
  // Only on files of the session, and no client gets their lines.
  'annotations/set': true,
  'annotations/updated': true,
  'annotations/removed': true,
  'annotations/entrySet': true,
  'annotations/entryRemoved': true,
  'terminal/input': false,
  'terminal/resized': false,
  'terminal/claimed': false,
  'terminal/titleChanged': false,
  'terminal/cleared': false,
  'automation/createRequested': false,
  'automation/updateRequested': false,
  'automation/removed': false,
  'automationRun/cancelRequested': false,
} as const satisfies { readonly [T in ClientActionType]: boolean };

/** The reach of a request. The params must match their schema. */
export function reachOfRequest<M extends ClientRequestMethod>(
  method: M,
  params: ClientToHostRequests[M]['params'],
): Reach {
  const reach = METHOD_REACH[method];
  return typeof reach === 'function' ? reach(params) : reach;
}

/** The least role that a request requires in its sessions: the scope of the method, but `admin` to dispose of a session. */
export function roleOfRequest<M extends ClientRequestMethod>(
  method: M,
  params: ClientToHostRequests[M]['params'],
): TokenScope {
  const least = METHOD_SCOPE[method];
  if (method === 'disposeSession') return 'admin';
  return typeof least === 'function' ? least(params) : least;
}

/** Whether a role in the session of its channel is sufficient for an action. */
export const isWithinSession = (type: ClientActionType): boolean => IN_SESSION[type];

/**
 * The part of a message that affects more than its session; `undefined`: none. Files of the host, other chats and annotations may show more than the
 * session does, and a command runs in a terminal. `commandPrefix`: the host's `terminalCommandPrefix`.
 */
export function partBeyondSession(
  { text, attachments = [] }: Message,
  commandPrefix: string | undefined,
): string | undefined {
  const found = attachments.find(({ type }) => type !== 'simple' && type !== 'embeddedResource');
  if (found !== undefined) return `an attachment of type ${found.type}`;
  return commandPrefix !== undefined && text.startsWith(commandPrefix) ? 'a terminal command' : undefined;
}

/** The messages in an action of a client. */
export function messagesIn(action: StateAction): readonly Message[] {
  switch (action.type) {
    case 'chat/turnStarted':
    case 'chat/pendingMessageSet':
      return [action.message];
    case 'chat/draftChanged':
      return action.draft === undefined ? [] : [action.draft];
    case 'chat/toolCallConfirmed':
      return action.approved || action.userSuggestion === undefined ? [] : [action.userSuggestion];
    default:
      return [];
  }
}
