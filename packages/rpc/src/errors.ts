import type { CloseInfo } from './transport.ts';

/** Numeric codes that JSON-RPC 2.0 itself defines. */
export const JSON_RPC_ERROR = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

/** The error member of a response. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * An error that travels: thrown by a handler it is sent as it is, received from the other side it rejects `request`.
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

/** A request got no response within its `timeoutMs`. A response that comes later is ignored. */
export class RequestTimeout extends Error {
  override readonly name = 'RequestTimeout';
  readonly code = 'request-timeout';

  constructor(method: string, timeoutMs: number) {
    super(`${method} got no response within ${timeoutMs} ms`);
  }
}

/** The caller's signal aborted the request; the other side is not told. `cause` is the signal's reason. */
export class RequestAborted extends Error {
  override readonly name = 'AbortError';
  readonly code = 'request-aborted';

  constructor(method: string, cause: unknown) {
    super(`${method} was aborted`, { cause });
  }
}

/** The transport ended before the response, or had ended before the request. Whether it took effect is unknown. */
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
 * What of a thrown value may be shown to the other side, or nothing. An `RpcError` always; of other errors only those
 * with a negative integer code, since errors of Node carry positive numbers too (exit codes, DOMException) beside
 * messages with paths in them.
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
