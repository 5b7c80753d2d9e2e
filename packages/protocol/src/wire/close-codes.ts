/**
 * The close codes of the protocol, with the next step of the client. For all other codes, and
 * without a close, clients reconnect.
 */
export const CLOSE_CODES = {
  /** The host is stopping. Reconnect: it may come back. */
  shuttingDown: 1001,
  /** Another connection with the same `clientId` took over. Do not reconnect automatically [CONN-3]. */
  replaced: 4001,
  /** The token was revoked or has expired, or the browser was signed out. Reconnecting needs another token or sign-in. */
  unauthorized: 4003,
  /** The client did not complete the handshake in time. Reconnect. */
  noHandshake: 4004,
  /** The host supports none of the offered versions; `-32005` was answered before [CONN-1]. */
  unsupportedVersion: 4005,
  /** The client did not read fast enough. Reconnect: a replay or a snapshot brings it up to date. */
  slowConsumer: 4008,
} as const;

/** A code of {@link CLOSE_CODES}. */
export type CloseCode = (typeof CLOSE_CODES)[keyof typeof CLOSE_CODES];
