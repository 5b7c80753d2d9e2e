/**
 * The codes by which a host closes a connection, and so what the client does next. All others, and connections that
 * end without a close, mean: reconnect.
 */
export const CLOSE_CODES = {
  /** The host is stopping: reconnect, it may come back. */
  shuttingDown: 1001,
  /** Another connection with the same `clientId` took over: do not reconnect by yourself [CONN-3]. */
  replaced: 4001,
  /** The token was revoked: reconnecting needs another one. */
  unauthorized: 4003,
  /** It did not introduce itself in time: reconnect. */
  noHandshake: 4004,
  /** No offered version is spoken here; `-32005` was answered before [CONN-1]. */
  unsupportedVersion: 4005,
  /** The client did not read fast enough: reconnect, a replay or a snapshot brings it up to date. */
  slowConsumer: 4008,
} as const;

/** A code of {@link CLOSE_CODES}. */
export type CloseCode = (typeof CLOSE_CODES)[keyof typeof CLOSE_CODES];
