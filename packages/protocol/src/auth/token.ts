import type { ConnectionParams } from '../wire/basics.ts';

/**
 * The permissions of an access token on the whole host, from least to most; see {@link METHOD_SCOPE}. With `none` a client sees only the sessions
 * that its person has a role in; see {@link SessionRole}.
 */
export type TokenScope = 'none' | 'observe' | 'interact' | 'admin';

/** `x-createToken` (extension): creates an access token. For admins [AUTH-1]. */
export interface CreateTokenParams extends ConnectionParams {
  /** Name for people, unique, at most 100 characters. Absent: none. */
  name?: string;
  /**
   * The person that the token belongs to: 1 to 100 characters. Several tokens may belong to one person. The host writes the name on what its
   * clients do. Absent: none.
   */
  person?: string;
  /** Absent: `observe`. */
  scope?: TokenScope;
  /** Lifetime in seconds by the host's clock, 1 to 315,360,000 (ten years). Absent: valid until revoked. */
  lifetimeSeconds?: number;
}

/** A new token. */
export interface CreateTokenResult {
  token: AccessToken;
  /** The secret to present. Only this result contains it: the host keeps a hash. */
  secret: string;
}

/** `x-listTokens` (extension): lists valid and expired tokens, oldest first. For admins. */
export interface ListTokensParams extends ConnectionParams {}

/** All tokens except the owner's, which is stored in a file. */
export interface ListTokensResult {
  items: AccessToken[];
}

/**
 * `x-revokeToken` (extension): revokes a token and ends its connections and its claim on client ids at once
 * [AUTH-1]. A caller that revokes its own token gets the answer first. `-32603`: the token is revoked, but
 * the host could not write that to disk yet. For admins.
 */
export interface RevokeTokenParams extends ConnectionParams {
  /** `id` of the token. */
  id: string;
}

/** An access token without its secret. */
export interface AccessToken {
  id: string;
  /** Absent: none was given. */
  name?: string;
  /** Absent: none. */
  person?: string;
  scope: TokenScope;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601, accurate to about a minute. Absent: never used. */
  lastUsedAt?: string;
  /** ISO 8601. Absent: valid until revoked. */
  expiresAt?: string;
  /** True: made by a sign-in of its person with OpenID Connect. Absent: false. */
  isSignIn?: boolean;
}
