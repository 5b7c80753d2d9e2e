import type { CloseInfo } from './transport.ts';

/** The numeric error codes of JSON-RPC 2.0. */
export const JSON_RPC_ERROR = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

/** The `error` member of a response. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * An error that crosses the wire. Thrown by a handler, it is sent as it is. A request whose response is an
 * error rejects with it.
 *
 * @example
 * peer.handle('divide', ({ a, b }) => {
 *   if (b === 0) throw new RpcError(-32602, 'b: expected a number other than 0');
 *   return a / b;
 * });
 */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data?: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    if (data !== undefined) this.data = data;
  }
}

/** A request got no response within its `timeoutMs`. A later response is ignored. */
export class RequestTimeout extends Error {
  override readonly name = 'RequestTimeout';
  readonly code = 'request-timeout';

  constructor(method: string, timeoutMs: number) {
    super(`${method} got no response within ${timeoutMs} ms`);
  }
}

/**
 * The caller's signal aborted the request. The other side is not told. `cause` is the signal's reason. Its
 * `name` is `AbortError`.
 */
export class RequestAborted extends Error {
  override readonly name = 'AbortError';
  readonly code = 'request-aborted';

  constructor(method: string, cause: unknown) {
    super(`${method} was aborted`, { cause });
  }
}

/**
 * The transport closed before the response, or was closed when the request was made. Whether the other side
 * processed the request is unknown.
 */
export class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed';
  readonly code = 'connection-closed';
  readonly info: CloseInfo;

  constructor(info: CloseInfo) {
    super(`connection closed (${info.code}${info.reason === '' ? '' : `: ${info.reason}`})`);
    this.info = info;
  }
}

/**
 * The part of a thrown value that may be sent to the other side, or `undefined`. An `RpcError` always may.
 * Other errors may when they have a negative integer code: errors of Node have positive codes (exit codes,
 * `DOMException`) and messages that contain paths.
 */
export function publicError(thrown: unknown): ErrorObject | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  if (!('code' in thrown) || !('message' in thrown)) return undefined;
  const { code, message } = thrown;
  if (typeof code !== 'number' || !Number.isInteger(code) || typeof message !== 'string') return undefined;
  if (code >= 0 && !(thrown instanceof RpcError)) return undefined;
  const data = 'data' in thrown ? thrown.data : undefined;
  return data === undefined ? { code, message } : { code, message, data };
}
