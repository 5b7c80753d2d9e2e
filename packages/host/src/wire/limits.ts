/** What the connections of a host may take, each a setting of its config; read at the time of use. */
export interface ConnectionLimits {
  /** Connections in all. One more is refused by 503. */
  readonly maxConnections: number;
  /** Connections by one token. One more is refused by 503. */
  readonly maxConnectionsPerToken: number;
  /** Subscriptions of one connection. One more answers -32602. */
  readonly maxSubscriptions: number;
  /** Messages that one connection may send each second on average. More are read later. */
  readonly maxMessagesPerSecond: number;
  /** Messages of one connection that wait to be handled. One more closes it with 1008. */
  readonly maxPendingMessages: number;
}
