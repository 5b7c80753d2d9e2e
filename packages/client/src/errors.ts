import type { RefusalDetails } from '@agenthost/protocol';
import type { CloseInfo } from '@agenthost/rpc';

/**
 * The connection dropped before the answer, or there was none when the request was made. Whether the host
 * processed the request is unknown, so the client does not send it again. Look at the state after the
 * reconnect, then decide.
 */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  readonly code = 'connection-lost';
}

/** An HTTP answer that refused the connection. */
export interface Refusal {
  /** HTTP status: 401 token, 403 `Host` or `Origin`, 404 path, 429 too many wrong tokens, 503 no capacity. */
  readonly status: number;
  /** The host's reason in one line. Empty when the answer had no plain text. */
  readonly reason: string;
  /** Why, as data; absent where the status says it, and from foreign hosts. */
  readonly details?: RefusalDetails;
}

/**
 * The host cannot be reached, or has no capacity now. `cause` is the error of the platform. Another attempt
 * may succeed.
 */
export class CannotConnect extends Error {
  override readonly name = 'CannotConnect';
  readonly code = 'cannot-connect';
  /** Set when a server answered with a status that may change (404 of a proxy, 408, 429, 5xx). */
  readonly refusal?: Refusal;

  constructor(message: string, { refusal, ...options }: ErrorOptions & { refusal?: Refusal } = {}) {
    super(message, options);
    if (refusal !== undefined) this.refusal = refusal;
  }
}

/**
 * The host refuses the connection because of its token, `Origin` or `Host` [AUTH-1]. Another attempt gets the
 * same answer.
 */
export class Unauthorized extends Error {
  override readonly name = 'Unauthorized';
  readonly code = 'unauthorized';
  /** Absent when the host closed an established connection. */
  readonly refusal?: Refusal;

  constructor(message: string, { refusal, ...options }: ErrorOptions & { refusal?: Refusal } = {}) {
    super(message, options);
    if (refusal !== undefined) this.refusal = refusal;
  }
}

/**
 * The server shows a certificate that does not match the pinned fingerprints. Nothing was sent to it. `cause`
 * is a `CertificateRefused`.
 */
export class UntrustedHost extends Error {
  override readonly name = 'UntrustedHost';
  readonly code = 'untrusted-host';
}

/**
 * The host refused the handshake for good, for example because there is no common version. `cause` is the
 * host's `RpcError`.
 */
export class HandshakeFailed extends Error {
  override readonly name = 'HandshakeFailed';
  readonly code = 'handshake-failed';
}

/** `close` was called on this client. */
export class ClientClosed extends Error {
  override readonly name = 'ClientClosed';
  readonly code = 'client-closed';

  constructor() {
    super('the client was closed');
  }
}

/** A watch of files cannot go on: its folder has moved, or a limit of the host or of its system is reached. The message says which. */
export class WatchEnded extends Error {
  override readonly name = 'WatchEnded';
  readonly code = 'watch-ended';
}

/** Another connection with the same `clientId` took over [CONN-3]. */
export class Replaced extends Error {
  override readonly name = 'Replaced';
  readonly code = 'replaced';

  constructor() {
    super('another connection with the same client id took over');
  }
}

/** The channel was disposed, or the client may no longer read it. */
export class ChannelLost extends Error {
  override readonly name = 'ChannelLost';
  readonly code = 'channel-lost';

  constructor(uri: string) {
    super(`channel ${uri} was disposed or is no longer permitted`);
  }
}

/**
 * A consumer of `Mirror.actions` has more than `MAX_UNREAD_ACTIONS` unread envelopes. Read `state` and
 * iterate again.
 */
export class ConsumerTooSlow extends Error {
  override readonly name = 'ConsumerTooSlow';
  readonly code = 'consumer-too-slow';

  constructor(uri: string, limit: number) {
    super(`the consumer of ${uri} has more than ${limit} unread actions`);
  }
}

/** The host sent a state of another kind than the channel's URI or the caller names. */
export class UnexpectedState extends Error {
  override readonly name = 'UnexpectedState';
  readonly code = 'unexpected-state';
}

/** The host rejected an action. `code` and `reason` are the two parts of its `rejectionReason`. */
export class DispatchRejected extends Error {
  override readonly name = 'DispatchRejected';
  /** The part of `rejectionReason` before the colon, for programs. */
  readonly code: string;
  /** The part of `rejectionReason` after the colon, for people. */
  readonly reason: string;
  /** The reason as data; absent where the host gives none. */
  readonly details?: RefusalDetails;

  constructor({ code, reason, details }: { code: string; reason: string; details?: RefusalDetails }) {
    super(`${code}: ${reason}`);
    this.code = code;
    this.reason = reason;
    if (details !== undefined) this.details = details;
  }
}

/** Describes a close in words for people. */
export function closeText({ code, reason }: CloseInfo): string {
  if (code === 1009 && reason === '')
    return "connection closed (1009: a message exceeds the host's size limit)";
  return reason === '' ? `connection closed (${code})` : `connection closed (${code}: ${reason})`;
}

/** The host offers no such changeset of a session or chat; many hosts offer them from the first turn on. */
export class NoSuchChangeset extends Error {
  override readonly name = 'NoSuchChangeset';
  readonly code = 'no-such-changeset';
  /** URI of the session or chat. */
  readonly owner: string;
  /** The `changeKind` of the catalogue that was looked for. */
  readonly kind: string;

  constructor(owner: string, kind: string) {
    super(`${owner}: the host offers no changeset of kind ${JSON.stringify(kind)}`);
    this.owner = owner;
    this.kind = kind;
  }
}

/** Background work that no client can end: a command without a terminal, or a kind that this client does not know. */
export class CannotEndWork extends Error {
  override readonly name = 'CannotEndWork';
  readonly code = 'cannot-end-work';
}
