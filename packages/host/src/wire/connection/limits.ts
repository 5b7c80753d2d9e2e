/** What the connections of a host may take, each a setting of its config; read at the time of use. */
export interface ConnectionLimits {
  /** Connections in all, the last of them for admins alone. One more is refused by 503. */
  readonly maxConnections: number;
  /** Connections by one token. One more is refused by 503. */
  readonly maxConnectionsPerToken: number;
  /** Subscriptions of one connection. One more answers -32602. */
  readonly maxSubscriptions: number;
  /** Subscriptions of all connections of one token. One more answers -32602. */
  readonly maxSubscriptionsPerToken: number;
  /** Clients of one token that are away and remembered though they have done nothing. One more, and the longest away is forgotten. */
  readonly maxAwayClientsPerToken: number;
  /** Messages that one connection may send each second on average. More are read later. All of a token share what `TokenRateLimits` makes of it. */
  readonly maxMessagesPerSecond: number;
  /** Messages of one connection that wait to be handled. One more closes it with 1008. */
  readonly maxPendingMessages: number;
}
