import type { TokenIdentity } from '../../auth/access-tokens.ts';

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

/** One in 32 connections is reserved for admins and the owner; half of those for the owner alone. */
const RESERVED_SHARE = 32;

/** A connection, as far as it is counted here. */
interface Counted {
  readonly identity: TokenIdentity;
  readonly channels: { readonly size: number };
}

interface Share {
  connectionCount: number;
  subscriptionCount: number;
}

/** Counts the connections of a host and their subscriptions by token, and says who finds room for one more. */
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
   * Why there is no room for one more connection of this token, for people; `undefined`: there is. Some places are kept for admins, so that they
   * can come in and revoke a token that takes all others, and some of those for the owner, as admins' tokens may be stolen too. Both
   * also get theirs when the setting was made smaller than what is connected.
   */
  refusalFor({ tokenHash, scope }: TokenIdentity): string | undefined {
    const { maxConnections, maxConnectionsPerToken } = this.#limits();
    if ((this.#byToken.get(tokenHash)?.connectionCount ?? 0) >= maxConnectionsPerToken)
      return `this token has ${maxConnectionsPerToken} connections, the most it may (maxConnectionsPerToken)`;
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
        : `the last ${forOwner} of ${maxConnections} connections are kept for the owner (maxConnections)`;
    }
    if (isFull) return full;
    return this.#otherCount < maxConnections - forAdmins
      ? undefined
      : `the last ${forAdmins} of ${maxConnections} connections are kept for admins (maxConnections)`;
  }

  add({ identity }: Counted): void {
    this.#shareOf(identity).connectionCount += 1;
    this.#count(identity, 1);
  }

  /** To be called once, when its subscriptions are gone. */
  remove({ identity }: Counted): void {
    const share = this.#shareOf(identity);
    share.connectionCount -= 1;
    if (share.connectionCount === 0) this.#byToken.delete(identity.tokenHash);
    this.#count(identity, -1);
  }

  /** A connection of this token has so many subscriptions more, or, negative, fewer. */
  followed(identity: TokenIdentity, by: number): void {
    this.#shareOf(identity).subscriptionCount += by;
  }

  /**
   * Why a connection may not have so many subscriptions more, for people; `undefined`: it may. `replaced`: a connection of the same client, whose
   * subscriptions go.
   */
  subscriptionRefusal(
    { identity, channels }: Counted,
    count: number,
    replaced?: Counted,
  ): string | undefined {
    const { maxSubscriptions, maxSubscriptionsPerToken } = this.#limits();
    if (channels.size + count > maxSubscriptions)
      return `At most ${maxSubscriptions} subscriptions a connection (maxSubscriptions)`;
    const going = replaced?.identity.tokenHash === identity.tokenHash ? replaced.channels.size : 0;
    return this.#shareOf(identity).subscriptionCount - going + count <= maxSubscriptionsPerToken
      ? undefined
      : `At most ${maxSubscriptionsPerToken} subscriptions a token (maxSubscriptionsPerToken)`;
  }

  #shareOf({ tokenHash }: TokenIdentity): Share {
    const known = this.#byToken.get(tokenHash);
    if (known !== undefined) return known;
    const share = { connectionCount: 0, subscriptionCount: 0 };
    this.#byToken.set(tokenHash, share);
    return share;
  }

  #count({ tokenHash, scope }: TokenIdentity, by: 1 | -1): void {
    // A token never changes its scope, and the owner's stays while the host runs.
    if (this.#isOwner(tokenHash)) this.#ownerCount += by;
    else if (scope === 'admin') this.#adminCount += by;
    else this.#otherCount += by;
  }
}
