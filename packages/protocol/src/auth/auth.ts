import type { ConnectionParams, Count, EmptyResult, NotificationParams } from '../wire/basics.ts';

/** A resource that needs an OAuth token, with the field names of RFC 9728. */
export interface ProtectedResourceMetadata {
  /** Its identifier, an `https:` URL; the `resource` of `authenticate` [AUTH-2]. */
  resource: string;
  /** Name for people. */
  resource_name?: string;
  /** URLs of servers that issue tokens for it. */
  authorization_servers?: string[];
  jwks_uri?: string;
  scopes_supported?: string[];
  /** How it accepts the token: `header`, `body` or `query`. */
  bearer_methods_supported?: string[];
  resource_signing_alg_values_supported?: string[];
  resource_documentation?: string;
  resource_policy_uri?: string;
  resource_tos_uri?: string;
  /** False: the agent works without a token, with fewer features. Absent: true. Not part of RFC 9728. */
  required?: boolean;
}

/** Data of an `AuthRequired` error: tokens for these resources are missing [AUTH-2]. */
export interface AuthRequiredErrorData {
  resources: ProtectedResourceMetadata[];
}

/** Why a token is needed: there was none, or it expired. */
export type AuthRequiredReason = 'required' | 'expired';

/** `auth/required`: asks the receiver for a token [AUTH-2]. Never replayed. */
export interface AuthRequiredParams extends NotificationParams {
  resource: ProtectedResourceMetadata;
  /** Absent: `required`. After `expired` a new token is needed [AUTH-21]. */
  reason?: AuthRequiredReason;
}

/**
 * `authenticate`: passes a bearer token, which is kept in memory for this client [AUTH-2]. An unknown
 * resource is answered with `-32602`, a refused token with `-32007`.
 */
export interface AuthenticateParams extends ConnectionParams {
  /** `resource` of the metadata of an agent or MCP server. */
  resource: string;
  /** Empty: the token is revoked [AUTH-20]. */
  token: string;
  /** Scopes that the token grants. Absent: unknown. */
  scopes?: string[];
  /**
   * Remaining lifetime of the token in seconds; after it the host treats the token as absent. Absent: unknown.
   * @minimum 1
   */
  expiresIn?: Count;
}

/** The token was accepted. */
export type AuthenticateResult = EmptyResult;
