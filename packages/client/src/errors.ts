import type { CloseInfo } from '@agenthost/rpc';

/**
 * The connection dropped before the answer, or there was none when the request was made. Whether it took effect is
 * unknown, so it is never sent again by itself: look at the state after reconnecting, then decide.
 */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  readonly code = 'connection-lost';
}

/** What was answered to a connection instead of taking it. */
export interface Refusal {
  /** The HTTP status: 401 token, 403 `Host` or `Origin`, 404 path, 429 too many wrong tokens, 503 no room. */
  readonly status: number;
  /** Why, in one line of the host's own words; empty when it said nothing that can be shown. */
  readonly reason: string;
}

/** The host cannot be reached, or has no room now. `cause` says as much as the platform tells. */
export class CannotConnect extends Error {
  override readonly name = 'CannotConnect';
  readonly code = 'cannot-connect';
  /** When somebody answered who may well take the connection later: 429 or 5xx. */
  readonly refusal?: Refusal;

  constructor(message: string, { refusal, ...options }: ErrorOptions & { refusal?: Refusal } = {}) {
    super(message, options);
    if (refusal !== undefined) this.refusal = refusal;
  }
}

/** The host answers and refuses the connection: token, Origin or Host [AUTH-1]. Retrying does not help. */
export class Unauthorized extends Error {
  override readonly name = 'Unauthorized';
  readonly code = 'unauthorized';
  /** Absent when the host refused after the connection was made. */
  readonly refusal?: Refusal;

  constructor(message: string, { refusal, ...options }: ErrorOptions & { refusal?: Refusal } = {}) {
    super(message, options);
    if (refusal !== undefined) this.refusal = refusal;
  }
}

/** What answers there is not the host that was expected: its certificate is another. Nothing was sent to it; `cause` says more. */
export class UntrustedHost extends Error {
  override readonly name = 'UntrustedHost';
  readonly code = 'untrusted-host';
}

/** The host refused the handshake for good, for example for want of a common version. `cause` is its `RpcError`. */
export class HandshakeFailed extends Error {
  override readonly name = 'HandshakeFailed';
  readonly code = 'handshake-failed';
}

/** The client was closed by its own `close`. */
export class ClientClosed extends Error {
  override readonly name = 'ClientClosed';
  readonly code = 'client-closed';

  constructor() {
    super('the client was closed');
  }
}

/** A newer connection with the same `clientId` took over [CONN-3]. */
export class Replaced extends Error {
  override readonly name = 'Replaced';
  readonly code = 'replaced';

  constructor() {
    super('another connection with the same client id took over');
  }
}

/** The channel is gone: disposed, or no longer permitted. */
export class ChannelLost extends Error {
  override readonly name = 'ChannelLost';
  readonly code = 'channel-lost';

  constructor(uri: string) {
    super(`channel ${uri} is gone`);
  }
}

/** A consumer of `Mirror.actions` fell behind further than the queue holds; read `state` and start again. */
export class ConsumerTooSlow extends Error {
  override readonly name = 'ConsumerTooSlow';
  readonly code = 'consumer-too-slow';

  constructor(uri: string, limit: number) {
    super(`more than ${limit} unread actions of ${uri}`);
  }
}

/** A host sent a state that is none of the kind that the channel's URI, or the caller, says. */
export class UnexpectedState extends Error {
  override readonly name = 'UnexpectedState';
  readonly code = 'unexpected-state';
}

/** What the host refused, with the code and sentence of its `rejectionReason`. */
export class DispatchRejected extends Error {
  override readonly name = 'DispatchRejected';
  /** The part of `rejectionReason` before the colon. */
  readonly code: string;
  /** The sentence behind it. */
  readonly reason: string;

  constructor(code: string, reason: string) {
    super(`${code}: ${reason}`);
    this.code = code;
    this.reason = reason;
  }
}

/** Shows a close for people. */
export function closeText({ code, reason }: CloseInfo): string {
  if (code === 1009 && reason === '')
    return 'connection closed (1009: a message was larger than the host takes)';
  return reason === '' ? `connection closed (${code})` : `connection closed (${code}: ${reason})`;
}
