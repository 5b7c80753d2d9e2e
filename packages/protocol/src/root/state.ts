import type { ProtectedResourceMetadata } from '../auth/auth.ts';
import type { ConfigSchema } from '../common/config-schema.ts';
import type { Customization } from '../session/customization.ts';
import type { TerminalInfo } from '../terminal/state.ts';

export interface AgentCapabilities {
  multipleChats?: MultipleChatsCapability;
}

export interface AgentInfo {
  provider: string;
  displayName: string;
  description: string;
  models: SessionModelInfo[];
  protectedResources?: ProtectedResourceMetadata[];
  customizations?: Customization[];
  capabilities?: AgentCapabilities;
}

export interface MultipleChatsCapability {
  fork?: boolean;
}

export type PolicyState = 'enabled' | 'disabled' | 'unconfigured';

export interface RootConfigState {
  schema: ConfigSchema;
  values: Record<string, unknown>;
}

export interface RootState {
  agents: AgentInfo[];
  activeSessions?: number;
  terminals?: TerminalInfo[];
  config?: RootConfigState;
  _meta?: Record<string, unknown>;
}

export interface SessionModelInfo {
  id: string;
  provider: string;
  name: string;
  maxContextWindow?: number;
  maxOutputTokens?: number;
  maxPromptTokens?: number;
  supportsVision?: boolean;
  policyState?: PolicyState;
  configSchema?: ConfigSchema;
  _meta?: Record<string, unknown>;
}
