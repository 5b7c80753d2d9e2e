import type { ConnectionParams } from '../wire/basics.ts';

/** What an access token lets its bearer do, from the least to the most; {@link METHOD_SCOPE} says it method by method. */
export type TokenScope = 'observe' | 'interact' | 'admin';

/** `x-createToken`, an extension of ours: a new access token. For admins [AUTH-1]. */
export interface CreateTokenParams extends ConnectionParams {
  /** For people, at most 100 characters; no other token has it. Absent: none. */
  name?: string;
  /** Absent: `observe`. */
  scope?: TokenScope;
  /** How long it holds, in seconds by the host's clock, 1 to 315,360,000 (ten years). Absent: until it is revoked. */
  lifetimeSeconds?: number;
}

/** A new token. */
export interface CreateTokenResult {
  token: AccessToken;
  /** What the bearer shows. It is told here and nowhere else: the host keeps a hash. */
  secret: string;
}

/** `x-listTokens`, an extension of ours: the tokens that hold or have expired, the oldest first. For admins. */
export interface ListTokensParams extends ConnectionParams {}

/** All tokens but the owner's, which is no row of the host's but a file. */
export interface ListTokensResult {
  items: AccessToken[];
}

/**
 * `x-revokeToken`, an extension of ours: ends a token, its connections and its hold on client ids at once [AUTH-1]; who revokes the own one is answered
 * first. `-32603`: it has ended, but the host cannot write that down yet, and says so. For admins.
 */
export interface RevokeTokenParams extends ConnectionParams {
  /** A token's `id`. */
  id: string;
}

/** An access token as it is shown: without its secret. */
export interface AccessToken {
  id: string;
  /** Absent: it was given none. */
  name?: string;
  scope: TokenScope;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601, to the minute or so. Absent: it never was used. */
  lastUsedAt?: string;
  /** ISO 8601. Absent: it holds until it is revoked. */
  expiresAt?: string;
}
