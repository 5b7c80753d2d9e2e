import type { AuthRequiredErrorData, ProtectedResourceMetadata } from '../auth/auth.ts';
import type { ResourceRequestParams } from '../resource/commands.ts';
import type { URI } from './basics.ts';
import type { FolderRefusal, ParameterRefusal, RefusalDetails } from './refusal.ts';
import { kindOfScheme, sessionOfAnnotations } from './uris.ts';

/** Every error code of the wire: those of JSON-RPC, then those of the protocol. */
export const ErrorCodes = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  SessionNotFound: -32001,
  ProviderNotFound: -32002,
  SessionAlreadyExists: -32003,
  TurnInProgress: -32004,
  UnsupportedProtocolVersion: -32005,
  ContentNotFound: -32006,
  AuthRequired: -32007,
  NotFound: -32008,
  PermissionDenied: -32009,
  AlreadyExists: -32010,
  Conflict: -32011,
} as const;

/** A code of {@link ErrorCodes}. */
export type ErrorCode = (typeof ErrorCodes)[keyof typeof ErrorCodes];

/** Data of an error that says why the host refused a request. Absent where the code alone says it. */
export interface RefusalErrorData {
  'x-refusal': RefusalDetails;
}

/** Data of a `PermissionDenied` error. */
export interface PermissionDeniedErrorData extends Partial<RefusalErrorData> {
  /** The `resourceRequest` that would grant access. Absent: none would [RES-2]. */
  request?: ResourceRequestParams;
}

/** Data of an `UnsupportedProtocolVersion` error. */
export interface UnsupportedProtocolVersionErrorData {
  /** Versions that the host supports, highest first. */
  supportedVersions: string[];
}

/** The type of the data for each code whose errors have data. */
export interface ErrorDataMap {
  [ErrorCodes.UnsupportedProtocolVersion]: UnsupportedProtocolVersionErrorData;
  [ErrorCodes.AuthRequired]: AuthRequiredErrorData;
  [ErrorCodes.PermissionDenied]: PermissionDeniedErrorData;
  [ErrorCodes.InvalidParams]: RefusalErrorData;
  [ErrorCodes.InternalError]: RefusalErrorData;
  [ErrorCodes.NotFound]: RefusalErrorData;
  [ErrorCodes.Conflict]: RefusalErrorData;
}

/** The codes whose errors may come without data. */
type PlainErrorCode = Exclude<
  ErrorCode,
  | typeof ErrorCodes.UnsupportedProtocolVersion
  | typeof ErrorCodes.AuthRequired
  | typeof ErrorCodes.PermissionDenied
>;

/** Data of an error with this code; `undefined` when it has none. */
export type ErrorData<C extends ErrorCode> =
  | (C extends keyof ErrorDataMap ? ErrorDataMap[C] : never)
  | (C extends PlainErrorCode ? undefined : never);

/**
 * An error that is sent to a peer as it is: it must contain no secrets.
 *
 * @example
 * throw notFound('chat', uri);
 */
export class WireError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'WireError';
  readonly code: C;
  readonly data: ErrorData<C>;

  /** `options.cause` is not sent. */
  constructor(code: C, message: string, data: ErrorData<C>, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.data = data;
  }
}

/** `-32700`: a frame is not valid JSON. `detail` says where. */
export function parseError(detail: string): WireError<-32700> {
  return new WireError(ErrorCodes.ParseError, `The message is not valid JSON: ${detail}`, undefined);
}

/** `-32600`: the message is not a valid request, or not allowed in this state of the connection. */
export function invalidRequest(message: string): WireError<-32600> {
  return new WireError(ErrorCodes.InvalidRequest, message, undefined);
}

/** `-32601`: there is no handler for `method`, or none on this channel. */
export function methodNotFound(method: string, channel?: URI): WireError<-32601> {
  const where = channel === undefined ? '' : ` on channel ${quote(channel)}`;
  return new WireError(ErrorCodes.MethodNotFound, `Unknown method ${quote(method)}${where}`, undefined);
}

/** `-32602`: `message` names the parameter, the expected and the actual value. */
export function invalidParams(message: string): WireError<-32602> {
  return new WireError(ErrorCodes.InvalidParams, message, undefined);
}

/** `-32602`: `parameter` is its path in `params`, empty for all of them; `problem` says what was expected and what came. */
export function invalidParam(parameter: ParameterRefusal['parameter'], problem: string): WireError<-32602> {
  const path = parameter === '' ? 'params' : `params${parameter.startsWith('[') ? '' : '.'}${parameter}`;
  return new WireError(ErrorCodes.InvalidParams, `${path}: ${problem}`, {
    'x-refusal': { kind: 'parameter', parameter, problem },
  });
}

/** `-32603`: a fault of the host. The cause is for its log and not sent. */
export function internalError(message: string, cause?: unknown): WireError<-32603> {
  return new WireError(ErrorCodes.InternalError, message, undefined, { cause });
}

/** `-32603`: the database server of the host does not answer. The cause is not sent. */
export function databaseUnreachable(message: string, cause: unknown): WireError<-32603> {
  const data = { 'x-refusal': { kind: 'database', state: 'unreachable' } } as const;
  return new WireError(ErrorCodes.InternalError, message, data, { cause });
}

/** `-32001`: no session has this URI. */
export function sessionNotFound(uri: URI): WireError<-32001> {
  return new WireError(
    ErrorCodes.SessionNotFound,
    `No session ${quote(uri)}: it was never created or is disposed; listSessions names those that exist`,
    undefined,
  );
}

/** `-32002`: no agent has this provider id. `known` are the existing ids. */
export function providerNotFound(provider: string, known: readonly string[] = []): WireError<-32002> {
  const choices = known.length === 0 ? 'this host has no agents' : `expected one of ${known.join(', ')}`;
  return new WireError(ErrorCodes.ProviderNotFound, `No agent ${quote(provider)}: ${choices}`, undefined);
}

/** `-32003`: a session with this URI exists. */
export function sessionAlreadyExists(uri: URI): WireError<-32003> {
  return new WireError(
    ErrorCodes.SessionAlreadyExists,
    `Session ${quote(uri)} exists already: subscribe to it, or choose another URI`,
    undefined,
  );
}

/** `-32004`: the request needs a turn that has ended. */
export function turnInProgress(chat: URI, turnId: string): WireError<-32004> {
  return new WireError(
    ErrorCodes.TurnInProgress,
    `Turn ${quote(turnId)} of ${quote(chat)} is still running: wait for its end, or cancel it`,
    undefined,
  );
}

/** `-32005`: the host supports none of the offered versions [CONN-1]. */
export function unsupportedProtocolVersion(
  supported: readonly string[],
  offered: readonly unknown[] = [],
): WireError<-32005> {
  const entries = offered
    .slice(0, 4)
    .map((entry) => (typeof entry === 'string' ? quote(entry, 32) : typeof entry));
  const got = entries.length === 0 ? '' : `, got ${entries.join(', ')}`;
  return new WireError(
    ErrorCodes.UnsupportedProtocolVersion,
    `No common protocol version: expected one of ${supported.join(', ')}${got}`,
    { supportedVersions: [...supported] },
  );
}

/** `-32006`: no content is stored under this URI. */
export function contentNotFound(uri: URI): WireError<-32006> {
  return new WireError(
    ErrorCodes.ContentNotFound,
    `No content ${quote(uri)}: it never existed or went with its session`,
    undefined,
  );
}

/** `-32007`: a token for one of `resources` is missing or was refused [AUTH-2]. */
export function authRequired(resources: readonly ProtectedResourceMetadata[]): WireError<-32007> {
  const names = resources.map((entry) => quote(entry.resource)).join(', ');
  return new WireError(
    ErrorCodes.AuthRequired,
    `Authentication needed for ${names}: send a valid token by authenticate, then try again`,
    { resources: [...resources] },
  );
}

/** `-32008`: no `what` (`chat`, `terminal`, `file`, …) has this URI. */
export function notFound(what: string, uri: URI): WireError<-32008> {
  return new WireError(
    ErrorCodes.NotFound,
    `No ${what} ${quote(uri)}: it never existed, or is gone`,
    undefined,
  );
}

/** `-32008`: `reconnect` of a client that the host does not know [CONN-7]. */
export function unknownClient(clientId: string): WireError<-32008> {
  return new WireError(
    ErrorCodes.NotFound,
    `No client ${quote(clientId)}: the host never knew it, or has forgotten it; send initialize on this connection`,
    undefined,
  );
}

/** `-32008`: a working directory does not exist. */
export function folderNotFound(uri: FolderRefusal['uri']): WireError<-32008> {
  return new WireError(ErrorCodes.NotFound, `No directory ${quote(uri)}: it never existed, or is gone`, {
    'x-refusal': { kind: 'folder', uri, reason: 'missing' },
  });
}

/** `-32009`: permission denied. `data`: the reason, and the `resourceRequest` that would grant access, if there is one. */
export function permissionDenied(message: string, data: PermissionDeniedErrorData = {}): WireError<-32009> {
  return new WireError(ErrorCodes.PermissionDenied, message, data);
}

/** `-32010`: a `what` with this URI, or with this name, exists. */
export function alreadyExists(what: string, uri: URI, key: 'URI' | 'name' = 'URI'): WireError<-32010> {
  return new WireError(
    ErrorCodes.AlreadyExists,
    `The ${what} ${quote(uri)} exists already: choose another ${key}`,
    undefined,
  );
}

/** `-32011`: the target changed. `message` says how. */
export function conflict(message: string): WireError<-32011> {
  return new WireError(ErrorCodes.Conflict, message, undefined);
}

/** `-32011`: a limit is reached. Something must go before more can come. */
export function limitReached(message: string, of: string, max: number): WireError<-32011> {
  return new WireError(ErrorCodes.Conflict, message, { 'x-refusal': { kind: 'limit', of, max } });
}

/** The error for an unknown channel: `-32008` or `-32001`, depending on the scheme [SUB-1]. */
export function channelNotFound(uri: URI): WireError<-32001> | WireError<-32008> {
  const kind = kindOfScheme(uri);
  if (kind !== undefined && kind !== 'session') return notFound('channel', uri);
  const session = sessionOfAnnotations(uri);
  return session === undefined ? sessionNotFound(uri) : annotationsNotFound(session);
}

/** `-32001`, as for every channel without a scheme of its own. The session itself may exist. */
function annotationsNotFound(session: URI): WireError<-32001> {
  const message = `No annotations of session ${quote(session)}: it has none, or is not there itself; listSessions names the sessions that exist`;
  return new WireError(ErrorCodes.SessionNotFound, message, undefined);
}

/** Foreign strings are quoted and cut, so that they cannot flood or forge a message. */
function quote(value: string, limit = 200): string {
  return JSON.stringify(value.length > limit ? `${value.slice(0, limit)}…` : value);
}
