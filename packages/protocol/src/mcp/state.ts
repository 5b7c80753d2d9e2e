import type { ProtectedResourceMetadata } from '../auth/auth.ts';
import type { ErrorInfo, Icon, TextRange, URI } from '../common/types.ts';

export interface AhpMcpUiHostCapabilities {
  serverTools?: { listChanged?: boolean };
  serverResources?: { listChanged?: boolean };
  logging?: Record<string, unknown>;
  sampling?: { tools?: string };
}

export type McpAuthRequiredReason = 'required' | 'expired' | 'insufficientScope';

export interface McpServerAuthRequiredState {
  kind: 'authRequired';
  reason: McpAuthRequiredReason;
  resource: ProtectedResourceMetadata;
  requiredScopes?: string[];
  description?: string;
}

export interface McpServerCustomization {
  id: string;
  uri: URI;
  name: string;
  icons?: Icon[];
  range?: TextRange;
  _meta?: Record<string, unknown>;
  type: 'mcpServer';
  enabled: boolean;
  state: McpServerState;
  channel?: URI;
  mcpApp?: McpServerCustomizationApps;
}

export interface McpServerCustomizationApps {
  capabilities: AhpMcpUiHostCapabilities;
}

export interface McpServerErrorState {
  kind: 'error';
  error: ErrorInfo;
}

export interface McpServerReadyState {
  kind: 'ready';
}

export interface McpServerStartingState {
  kind: 'starting';
}

export type McpServerState =
  | McpServerStartingState
  | McpServerReadyState
  | McpServerAuthRequiredState
  | McpServerErrorState
  | McpServerStoppedState;

export interface McpServerStoppedState {
  kind: 'stopped';
}
