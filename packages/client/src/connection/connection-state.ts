/** State of a client's connection, for user interfaces. Times are milliseconds since the epoch. */
export type ConnectionState =
  /** Created, not started. */
  | { readonly state: 'idle' }
  /** Opening a transport. `attempt` counts from 1 since the client was last online. */
  | { readonly state: 'connecting'; readonly attempt: number }
  /** The transport is open; `initialize` or `reconnect` is under way. */
  | { readonly state: 'handshaking'; readonly attempt: number }
  /** Ready for use. */
  | { readonly state: 'online'; readonly since: number }
  /**
   * The connection was lost or could not be made. The next attempt starts at `retryAt`; `reason` is a text
   * for people.
   */
  | {
      readonly state: 'waiting';
      readonly attempt: number;
      readonly retryAt: number;
      readonly reason: string;
    }
  /** Another connection took over this client id. `reconnectNow` takes it back [CONN-3]. */
  | { readonly state: 'replaced'; readonly error: Error }
  /** Closed for good: by `close`, by a refusal of the host, or because the first attempt failed. */
  | { readonly state: 'closed'; readonly error: Error };

/** Name of a connection state. */
export type ConnectionStateName = ConnectionState['state'];

/** All allowed transitions. */
export const CONNECTION_TRANSITIONS: Readonly<Record<ConnectionStateName, readonly ConnectionStateName[]>> = {
  idle: ['connecting', 'closed'],
  connecting: ['handshaking', 'waiting', 'closed'],
  handshaking: ['online', 'waiting', 'replaced', 'closed'],
  online: ['waiting', 'replaced', 'closed'],
  waiting: ['connecting', 'closed'],
  replaced: ['connecting', 'closed'],
  closed: [],
};
