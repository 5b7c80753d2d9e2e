import type { BaseParams, ConnectionParams, EmptyResult } from '../wire/basics.ts';

/** Something that wants an OAuth token, described with the field names of RFC 9728. */
export interface ProtectedResourceMetadata {
  /** Its identifier, an `https:` URL; what `authenticate` names [AUTH-2]. */
  resource: string;
  /** For people. */
  resource_name?: string;
  /** URLs of the servers that give out tokens for it. */
  authorization_servers?: string[];
  jwks_uri?: string;
  scopes_supported?: string[];
  /** How it takes the token: `header`, `body` or `query`. */
  bearer_methods_supported?: string[];
  resource_signing_alg_values_supported?: string[];
  resource_encryption_alg_values_supported?: string[];
  resource_encryption_enc_values_supported?: string[];
  resource_documentation?: string;
  resource_policy_uri?: string;
  resource_tos_uri?: string;
  /** False when the agent works without a token, with less to offer. Absent: true. Not part of RFC 9728. */
  required?: boolean;
}

/** Data of an `AuthRequired` error: tokens for these are missing [AUTH-2]. */
export interface AuthRequiredErrorData {
  resources: ProtectedResourceMetadata[];
}

/** Why a token is asked for: there was none, or it no longer holds. */
export type AuthRequiredReason = 'required' | 'expired';

/** `auth/required`: the receiver is asked to bring a token [AUTH-2]. Never replayed. */
export interface AuthRequiredParams extends BaseParams {
  /** `resource` of the metadata that names it. */
  resource: string;
  /** Absent: `required`. */
  reason?: AuthRequiredReason;
}

/**
 * `authenticate`: hands over a bearer token, kept in memory for this client [AUTH-2]. An unknown resource answers
 * `-32602`, a token that is refused `-32007`.
 */
export interface AuthenticateParams extends ConnectionParams {
  /** `resource` of a metadata entry that an agent or MCP server shows. */
  resource: string;
  token: string;
}

/** The token is taken. */
export type AuthenticateResult = EmptyResult;
