/** Where a client's connection is, for UIs. Times are milliseconds since the epoch. */
export type ConnectionState =
  /** Made, not started. */
  | { readonly state: 'idle' }
  /** Opening a transport; `attempt` counts from 1 since it last stood. */
  | { readonly state: 'connecting'; readonly attempt: number }
  /** Connected; `initialize` or `reconnect` is under way. */
  | { readonly state: 'handshaking'; readonly attempt: number }
  /** Usable. */
  | { readonly state: 'online'; readonly since: number }
  /** Lost or not made; tries again at `retryAt`. `reason` is for people. */
  | {
      readonly state: 'waiting';
      readonly attempt: number;
      readonly retryAt: number;
      readonly reason: string;
    }
  /** Another connection with this client id took over; `reconnectNow` takes back [CONN-3]. */
  | { readonly state: 'replaced'; readonly error: Error }
  /** Over for good: closed here, refused by the host, or never reached. */
  | { readonly state: 'closed'; readonly error: Error };

/** Name of a state. */
export type ConnectionStateName = ConnectionState['state'];

/** Every transition there is. */
export const CONNECTION_TRANSITIONS: Readonly<Record<ConnectionStateName, readonly ConnectionStateName[]>> = {
  idle: ['connecting', 'closed'],
  connecting: ['handshaking', 'waiting', 'closed'],
  handshaking: ['online', 'waiting', 'replaced', 'closed'],
  online: ['waiting', 'replaced', 'closed'],
  waiting: ['connecting', 'closed'],
  replaced: ['connecting', 'closed'],
  closed: [],
};
