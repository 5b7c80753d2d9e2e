import type { TokenIdentity } from '../../auth/access-tokens.ts';

/** Limits of a host's connections. Each is a setting of the host's config and is read when it is used. */
export interface ConnectionLimits {
  /** Connections of all tokens. The last ones are reserved for admins. A further one is refused with 503. */
  readonly maxConnections: number;
  /** Connections of one token. A further one is refused with 503. */
  readonly maxConnectionsPerToken: number;
  /** Subscriptions of one connection. A further one is answered with -32602. */
  readonly maxSubscriptions: number;
  /** Subscriptions of all connections of one token. A further one is answered with -32602. */
  readonly maxSubscriptionsPerToken: number;
  /** Disconnected clients of one token that are remembered without a processed action. Above it the one that left first is forgotten. */
  readonly maxAwayClientsPerToken: number;
  /** Messages of one connection per second, on average. Further ones are read later. `TokenRateLimits` derives the limit of a token from it. */
  readonly maxMessagesPerSecond: number;
  /** Messages of one connection that wait to be handled. A further one closes the connection with 1008. */
  readonly maxPendingMessages: number;
}

/** One in 32 connections is reserved for admins and the owner, and half of these for the owner alone. */
const RESERVED_SHARE = 32;

/** The part of a connection that is counted. */
interface Counted {
  readonly identity: TokenIdentity;
  readonly channels: { readonly size: number };
}

interface Share {
  connectionCount: number;
  subscriptionCount: number;
}

/** Counts connections and subscriptions by token, and refuses those above the limits. */
export class ConnectionQuotas {
  readonly #limits: () => ConnectionLimits;
  readonly #isOwner: (tokenHash: string) => boolean;
  readonly #byToken = new Map<string, Share>();
  #otherCount = 0;
  #adminCount = 0;
  #ownerCount = 0;

  constructor(parts: { limits(): ConnectionLimits; isOwner(tokenHash: string): boolean }) {
    this.#limits = () => parts.limits();
    this.#isOwner = (tokenHash) => parts.isOwner(tokenHash);
  }

  /**
   * Returns the reason to refuse one more connection of this token; `undefined`: it is accepted. Some connections are reserved for admins, so
   * that an admin can connect and revoke a token that uses up all others. Some of these are reserved for the owner, because the token of an
   * admin may be stolen too. The reserved ones also remain when the limit was lowered below the number of open connections.
   */
  refusalFor({ tokenHash, scope }: TokenIdentity): string | undefined {
    const { maxConnections, maxConnectionsPerToken } = this.#limits();
    if ((this.#byToken.get(tokenHash)?.connectionCount ?? 0) >= maxConnectionsPerToken)
      return `this token has ${maxConnectionsPerToken} connections, the most that it may have (maxConnectionsPerToken)`;
    const forAdmins = Math.max(2, Math.floor(maxConnections / RESERVED_SHARE));
    const forOwner = Math.floor(forAdmins / 2);
    const isFull = this.#otherCount + this.#adminCount + this.#ownerCount >= maxConnections;
    const full = `the host has ${maxConnections} connections, the most it takes (maxConnections)`;
    if (this.#isOwner(tokenHash)) return isFull && this.#ownerCount >= forOwner ? full : undefined;
    if (scope === 'admin') {
      if (this.#adminCount + this.#ownerCount < forAdmins - forOwner) return undefined;
      if (isFull) return full;
      return this.#otherCount + this.#adminCount < maxConnections - forOwner
        ? undefined
        : `the last ${forOwner} of ${maxConnections} connections are reserved for the owner (maxConnections)`;
    }
    if (isFull) return full;
    return this.#otherCount < maxConnections - forAdmins
      ? undefined
      : `the last ${forAdmins} of ${maxConnections} connections are reserved for admins (maxConnections)`;
  }

  add({ identity }: Counted): void {
    this.#shareOf(identity).connectionCount += 1;
    this.#count(identity, 1);
  }

  /** Call it once, after the subscriptions of the connection were removed. */
  remove({ identity }: Counted): void {
    const share = this.#shareOf(identity);
    share.connectionCount -= 1;
    if (share.connectionCount === 0) this.#byToken.delete(identity.tokenHash);
    this.#count(identity, -1);
  }

  /** Changes the number of subscriptions of a token by `by`. */
  subscribed(identity: TokenIdentity, by: number): void {
    this.#shareOf(identity).subscriptionCount += by;
  }

  /**
   * Returns the reason to refuse `count` more subscriptions; `undefined`: they are accepted. `replaced`: an older connection of the same client,
   * whose subscriptions end.
   */
  subscriptionRefusal(
    { identity, channels }: Counted,
    count: number,
    replaced?: Counted,
  ): string | undefined {
    const { maxSubscriptions, maxSubscriptionsPerToken } = this.#limits();
    if (channels.size + count > maxSubscriptions)
      return `At most ${maxSubscriptions} subscriptions per connection (maxSubscriptions)`;
    const going = replaced?.identity.tokenHash === identity.tokenHash ? replaced.channels.size : 0;
    return this.#shareOf(identity).subscriptionCount - going + count <= maxSubscriptionsPerToken
      ? undefined
      : `At most ${maxSubscriptionsPerToken} subscriptions per token (maxSubscriptionsPerToken)`;
  }

  #shareOf({ tokenHash }: TokenIdentity): Share {
    const known = this.#byToken.get(tokenHash);
    if (known !== undefined) return known;
    const share = { connectionCount: 0, subscriptionCount: 0 };
    this.#byToken.set(tokenHash, share);
    return share;
  }

  #count({ tokenHash, scope }: TokenIdentity, by: 1 | -1): void {
    // The scope of a token never changes, and the owner's token stays while the host runs.
    if (this.#isOwner(tokenHash)) this.#ownerCount += by;
    else if (scope === 'admin') this.#adminCount += by;
    else this.#otherCount += by;
  }
}
