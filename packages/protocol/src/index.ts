export type * from './annotations/actions.ts';
export { annotationsReducer } from './annotations/reducer.ts';
export type * from './annotations/state.ts';
export type * from './auth/auth.ts';
export { isWithinScope, scopeOfAction, scopeOfRequest, scopeWithRole, TOKEN_SCOPES } from './auth/scope.ts';
export {
  isWithinSession,
  messagesIn,
  partBeyondSession,
  type Reach,
  reachOfRequest,
  roleOfRequest,
} from './auth/session-reach.ts';
export type * from './auth/session-role.ts';
export type * from './auth/sign-in.ts';
export type * from './auth/token.ts';
export type * from './automation/actions.ts';
export type * from './automation/commands.ts';
export {
  type AutomationNotes,
  automationNotes,
  type DisabledBecause,
  MAX_COUNTED_MISSES,
  type MissedOccurrences,
} from './automation/notes.ts';
export { automationReducer } from './automation/reducer.ts';
export type * from './automation/state.ts';
export type * from './automation-run/actions.ts';
export { isRunOver } from './automation-run/is-run-over.ts';
export { automationRunReducer } from './automation-run/reducer.ts';
export type * from './automation-run/state.ts';
export type * from './canvas/actions.ts';
export { canvasReducer } from './canvas/reducer.ts';
export type * from './canvas/state.ts';
export type * from './changeset/actions.ts';
export type * from './changeset/commands.ts';
export { changesetReducer } from './changeset/reducer.ts';
export type * from './changeset/state.ts';
export type * from './chat/actions.ts';
export type * from './chat/author.ts';
export { authorName } from './chat/author.ts';
export { commandResult } from './chat/command-result.ts';
export type * from './chat/commands.ts';
export { checkAnswered, checkInputAnswer, type InputProblem } from './chat/input-check.ts';
export type * from './chat/input-request.ts';
export type * from './chat/message.ts';
export { type OfferedOptions, offeredOptions } from './chat/offered-options.ts';
export { findOpenRequest, findToolCallPart, openRequests } from './chat/parts-index.ts';
export { chatReducer } from './chat/reducer.ts';
export type * from './chat/state.ts';
export type * from './chat/tool-call.ts';
export { errorOf, errorPartOf, resumableTurn } from './chat/turn-error.ts';
export type * from './config/schema.ts';
export { isApart, lengthApart } from './limits/apart.ts';
export { CHANNEL_LIMITS, INLINE_ATTACHMENT, LIST_ANSWER } from './limits/channels.ts';
export {
  excess,
  excessOf,
  findActionFault,
  findParamsFault,
  sizeProblem,
  sizeText,
  weightOf,
} from './limits/check.ts';
export { cutText, fitTexts } from './limits/fit.ts';
export type * from './limits/table.ts';
export { CUT_REQUESTS, LIST_LIMITS, MESSAGE_TOTAL, TEXT_LIMITS } from './limits/table.ts';
export type * from './mcp/commands.ts';
export { MCP_CONSENT_TOOL } from './mcp/consent.ts';
export type * from './mcp/state.ts';
export { type ViewDomains, viewDomains } from './mcp/view-domains.ts';
export type * from './presence/presence.ts';
export type * from './push/push.ts';
export type * from './resource/commands.ts';
export type * from './resource/grants.ts';
export type * from './resource-watch/actions.ts';
export type * from './resource-watch/commands.ts';
export { resourceWatchReducer } from './resource-watch/reducer.ts';
export type * from './resource-watch/state.ts';
export type * from './root/actions.ts';
export type * from './root/agent-health.ts';
export type * from './root/commands.ts';
export type * from './root/notifications.ts';
export { rootReducer } from './root/reducer.ts';
export type * from './root/state.ts';
export type * from './session/actions.ts';
export { aggregateSession } from './session/aggregate.ts';
export { type ChatTotals, chatTotals, findChat, newestChange } from './session/chats-index.ts';
export type * from './session/commands.ts';
export type * from './session/customization.ts';
export type * from './session/customization-base.ts';
export * from './session/customization-decisions.ts';
export type * from './session/export.ts';
export { EXPORT_FORMAT, EXPORT_VERSION } from './session/export.ts';
export { type SessionGit, sessionGit } from './session/git.ts';
export { HOOK_CONSENT_TOOL } from './session/hook-consent.ts';
export type * from './session/import.ts';
export type * from './session/input-needed.ts';
export type * from './session/ports.ts';
export { sessionPorts } from './session/ports.ts';
export { sessionReducer } from './session/reducer.ts';
export { withFlag } from './session/reducer-status.ts';
export type * from './session/state.ts';
export { ACTIVITY_MASK, SessionStatus } from './session/status.ts';
export { type SessionWorktree, sessionWorktree } from './session/worktree.ts';
export type * from './telemetry/telemetry.ts';
export type * from './terminal/actions.ts';
export type * from './terminal/commands.ts';
export { hasExited, outputLength, outputOf, outputParts, terminalReducer } from './terminal/reducer.ts';
export type * from './terminal/state.ts';
export type * from './wire/basics.ts';
export { textOf } from './wire/basics.ts';
export { isCellName } from './wire/cell-name.ts';
export type * from './wire/channels.ts';
export {
  ACTION_CHANNEL,
  CHANNEL_KINDS,
  CLIENT_ACTIONS,
  isActionType,
  isClientAction,
} from './wire/channels.ts';
export type * from './wire/close-codes.ts';
export { CLOSE_CODES } from './wire/close-codes.ts';
export type * from './wire/envelope.ts';
export type * from './wire/errors.ts';
export {
  alreadyExists,
  authRequired,
  channelNotFound,
  conflict,
  contentNotFound,
  databaseUnreachable,
  ErrorCodes,
  folderNotFound,
  internalError,
  invalidParam,
  invalidParams,
  invalidRequest,
  limitReached,
  methodNotFound,
  notFound,
  parseError,
  permissionDenied,
  providerNotFound,
  sessionAlreadyExists,
  sessionNotFound,
  turnInProgress,
  unknownClient,
  unsupportedProtocolVersion,
  WireError,
} from './wire/errors.ts';
export type * from './wire/handshake.ts';
export type * from './wire/methods.ts';
export {
  CLIENT_NOTIFICATION_METHODS,
  CLIENT_REQUEST_METHODS,
  HOST_NOTIFICATION_METHODS,
  HOST_REQUEST_METHODS,
  MCP_METHOD_CAPABILITY,
  RESOURCE_METHODS,
} from './wire/methods.ts';
export { findById } from './wire/patch.ts';
export { parseRefusal, readRefusal } from './wire/read-refusal.ts';
export { reduceChannel, reduceMirrored } from './wire/reduce.ts';
export type * from './wire/refusal.ts';
export type * from './wire/uris.ts';
export {
  AUTOMATIONS_URI,
  annotationsUri,
  CHANNEL_SCHEMES,
  channelUri,
  isAcceptableUri,
  isValidProviderId,
  kindOfScheme,
  MAX_URI_LENGTH,
  parseResourceUri,
  ROOT_URI,
  sessionOfAnnotations,
} from './wire/uris.ts';
export type * from './wire/versions.ts';
export {
  lineOf,
  negotiateVersion,
  PROTOCOL_VERSION,
  SUPPORTED_RANGES,
  VERSION_LINES,
} from './wire/versions.ts';
export type * from './worktree/commands.ts';
