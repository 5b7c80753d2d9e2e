import type { URI } from '../common/types.ts';

export interface AuthRequiredErrorData {
  resources: ProtectedResourceMetadata[];
}

export interface AuthRequiredParams {
  channel: URI;
  resource: string;
  reason?: AuthRequiredReason;
}

export type AuthRequiredReason = 'required' | 'expired';

export interface AuthenticateParams {
  channel: 'ahp-root://';
  resource: string;
  token: string;
}

export type AuthenticateResult = Record<string, unknown>;

export interface ProtectedResourceMetadata {
  resource: string;
  resource_name?: string;
  authorization_servers?: string[];
  jwks_uri?: string;
  scopes_supported?: string[];
  bearer_methods_supported?: string[];
  resource_signing_alg_values_supported?: string[];
  resource_encryption_alg_values_supported?: string[];
  resource_encryption_enc_values_supported?: string[];
  resource_documentation?: string;
  resource_policy_uri?: string;
  resource_tos_uri?: string;
  required?: boolean;
}
