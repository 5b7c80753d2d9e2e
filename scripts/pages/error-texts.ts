import type { CloseCode, ErrorCodes } from '@agenthost/protocol';
import type { EXIT } from '../../packages/cli/src/process/exit.ts';

/** The meaning of each exit code. */
export const EXIT_TEXTS: Record<keyof typeof EXIT, string> = {
  done: 'The command succeeded.',
  error:
    'An error: the turn failed, timed out or was cancelled by another client, or the host refused a request.',
  usage: 'The command line is wrong.',
  denied: 'The turn ended, but a request of the agent was denied.',
  cannotConnect:
    'There is no host, the host refused the connection, or the connection was lost and could not be restored.',
  timedOut: '`--timeout` passed (commands of `term`).',
  interrupted: 'Ctrl-C, SIGTERM, or a closed output pipe.',
};

/** The meaning of each error code of the wire. */
export const ERROR_TEXTS: Record<keyof typeof ErrorCodes, string> = {
  ParseError: 'The frame is not valid JSON.',
  InvalidRequest: 'The message is not a valid request, or the state of the connection does not allow it.',
  MethodNotFound: 'No handler has this method on this channel.',
  InvalidParams: 'A parameter is invalid. `x-refusal` names the parameter.',
  InternalError:
    'The host failed. Its log has the cause. `x-refusal` says if its database server does not answer.',
  SessionNotFound: 'No session has this URI.',
  ProviderNotFound: 'No agent has this id.',
  SessionAlreadyExists: 'A session with this URI exists.',
  TurnInProgress: 'The request needs a turn that has ended.',
  UnsupportedProtocolVersion:
    'The host supports none of the offered versions. `supportedVersions` lists the supported ones.',
  ContentNotFound: 'No content is stored under this URI.',
  AuthRequired: 'A token for a resource of the agent is missing or was refused.',
  NotFound: 'No chat, terminal, file or folder has this URI.',
  PermissionDenied:
    'The token or the path policy does not allow the request. `x-refusal` has the needed and the held scope.',
  AlreadyExists: 'An object with this URI or name exists.',
  Conflict: 'The target changed, or a limit is reached. `x-refusal` has the limit.',
};

/** The next step of a client for each close code. */
export const CLOSE_TEXTS: Record<CloseCode, string> = {
  1001: 'The host is stopping. Reconnect.',
  4001: 'Another connection with the same client id took over. Do not reconnect automatically.',
  4003: 'The token was revoked or has expired, or the browser was signed out. Reconnect with another token.',
  4004: 'The client did not complete the handshake in time. Reconnect.',
  4005: 'The host supports none of the offered versions. Do not reconnect.',
  4008: 'The client did not read fast enough. Reconnect.',
};

/** The meaning of each code in `rejectionReason`. */
export const REJECTION_TEXTS: Readonly<Record<string, string>> = {
  alreadyClaimed: 'Another client holds the terminal.',
  automationExists: 'An automation has this name already, or its last runs are in progress.',
  contradiction: 'The selected option contradicts the answer.',
  creationFailed: 'The session could not be created, and takes no turns.',
  defaultChat: 'The default chat is archived together with its session.',
  emptyAnnotation: 'The annotation has no entries.',
  exited: 'The process of the terminal has ended.',
  importing: 'The session is still being imported.',
  invalidAutomation: 'A part of the automation is invalid; the reason names it.',
  invalidAction: 'The action does not match its schema.',
  invalidConfig: 'A setting has an invalid value.',
  invalidDirectory: 'The working directory does not exist, is not allowed, or is none of the session’s.',
  invalidEnablement: 'The decisions about a customization are not in order, or name another workspace.',
  invalidTitle: 'The title is empty.',
  invalidTools: 'A tool of the client is invalid.',
  lastEntry: 'The entry is the only one of its annotation.',
  notReviewable: 'The files of this changeset cannot be marked as reviewed.',
  pluginNotCopied: 'A plugin of the template could not be copied from the client. Nothing was saved.',
  noSuchAutomation: 'There is no automation with this name.',
  noSuchMessage: 'The queue has no message with this id.',
  noSuchToolCall: 'The turn has no tool call with this id.',
  invalidTime: 'A start of a turn is not an ISO 8601 time.',
  runOver: 'The run of the automation has ended.',
  tooManyAutomations: 'The host has the maximum number of automations.',
  notResumable:
    'The turn is not the last one, another turn runs, or its error does not say that the turn can be resumed.',
  noSuchTurn: 'The turn is not the active one, or the chat has no turn with this id.',
  notContributor: 'Another client runs the tool call.',
  notDispatchable: 'Only the host dispatches actions of this type.',
  notEditable: 'The input of the tool call cannot be edited.',
  notInteractive: 'The chat takes no messages from clients.',
  notInteger: 'The answer must be a whole number.',
  notMutable: 'The setting cannot be changed after the session was created.',
  notReachable: 'The keeper of the terminal does not answer.',
  primaryDirectory:
    'The primary working directory cannot be removed; it can be replaced if the agent offers it.',
  notSupported: 'This host does not support the action.',
  notUserMessage: 'Clients may only send messages of kind `user`.',
  notYours: 'Another client or session holds the target.',
  otherSession: 'The origin of the annotation names another session.',
  outOfRange: 'The answer is too small or too large.',
  outcomeExpired: 'The host no longer knows whether it applied the action.',
  permissionDenied: 'The scope of the token does not allow the action.',
  queueFull: 'The queue has no room for the message.',
  readOnly: 'The setting was fixed when the host started.',
  requestClosed: 'The question is already closed.',
  tooManyAnnotations: 'The session has no room for another annotation.',
  tooLarge: 'A text or a list exceeds its limit; see [limits](limits.md).',
  draining: 'The host finishes its running turns before it stops. Queue the message, or send it again later.',
  turnActive: 'A turn is still running.',
  turnExists: 'The chat has a turn with this id.',
  unanswered: 'A required question has no answer.',
  unavailable: 'The journal cannot be read or written now.',
  unknownServer: 'The session shows no MCP server with this id.',
  unknownChat: 'There is no chat with this URI, or not in this session.',
  unknownModel: 'The agent does not have this model.',
  unknownOption: 'The question or the tool call has no such option.',
  unknownQuestion: 'The request has no such question.',
  unknownRequest: 'No open input request has this id.',
  unknownSession: 'No session has this URI.',
  wrongChannel: 'The action belongs to another kind of channel.',
  wrongCount: 'The answer has too few or too many options.',
  wrongKind: 'The answer has another type than the question.',
  wrongLength: 'The answer is too short or too long.',
  wrongState: 'The tool call is not in the state that the action needs.',
};

/** The meaning of each `errorType` of a turn or a session that failed. */
export const ERROR_TYPE_TEXTS: Readonly<Record<string, string>> = {
  notRecorded: 'The files of a turn were not recorded, or the record was removed.',
  worktreeFailed: 'The git worktree of a session could not be made; the message has the reason.',
  operationFailed: 'An operation on a changeset failed; the message says why.',
  agentError: 'The agent reported an error.',
  agentExited: 'The agent process exited unexpectedly, or was stopped.',
  agentMissing: 'The agent is not installed on the machine of the host.',
  agentUnresponsive: 'The agent did not answer in time.',
  invalidKey: 'The key of an agent is not one line of printable ASCII.',
  authRequired: 'The agent needs a login. The message names the command.',
  cannotStart: 'A run of an automation could not start its session; the message has the reason.',
  consentRequired: 'Nobody has allowed this MCP server of the project yet.',
  contextTooLong: 'The conversation is longer than the model takes, also after it was summarized.',
  demoFailed: 'The demo agent failed as asked (`fail`).',
  exportedWhileRunning: 'The turn was running when its session was exported.',
  hookBlocked: 'A hook has stopped the message; the message has its reason.',
  hostError: 'The host failed.',
  hostRestarted: 'The host was restarted during the turn.',
  importInterrupted: 'The import did not finish.',
  mcpServerFailed: 'The MCP server could not start, or has ended; the message has the reason.',
  modelError: 'The model API refused the request, or gave an invalid answer.',
  modelNotFound: 'The model API does not have this model.',
  modelUnavailable: 'The model API did not answer, also after retries.',
  outputLimit: 'The answer of the model reached its longest length.',
  tooManyRuns: 'Too many runs of the automation are in progress.',
  tooManyWorkers: 'The session has no room for another worker chat.',
  unknownModel: 'The agent does not have this model.',
  workerFailed: 'The worker of a tool call failed.',
};
