import type { Icon, TextRange, URI } from '../common/types.ts';
import type { McpServerCustomization } from '../mcp/state.ts';

export interface AgentCustomization {
  id: string;
  uri: URI;
  name: string;
  icons?: Icon[];
  range?: TextRange;
  _meta?: Record<string, unknown>;
  enabled?: boolean;
  type: 'agent';
  description?: string;
  model?: string;
  tools?: string[];
  disableModelInvocation?: boolean;
  disableUserInvocation?: boolean;
}

export type ChildCustomization =
  | AgentCustomization
  | SkillCustomization
  | PromptCustomization
  | RuleCustomization
  | HookCustomization
  | McpServerCustomization;

export interface ChildCustomizationBase {
  id: string;
  uri: URI;
  name: string;
  icons?: Icon[];
  range?: TextRange;
  _meta?: Record<string, unknown>;
  enabled?: boolean;
}

export type ChildCustomizationType = 'agent' | 'skill' | 'prompt' | 'rule' | 'hook' | 'mcpServer';

export interface ClientPluginCustomization {
  id: string;
  uri: URI;
  name: string;
  icons?: Icon[];
  range?: TextRange;
  _meta?: Record<string, unknown>;
  enabled: boolean;
  clientId?: string;
  load?: CustomizationLoadState;
  children?: ChildCustomization[];
  type: 'plugin';
  version?: string;
  nonce?: string;
}

export interface ContainerCustomizationBase {
  id: string;
  uri: URI;
  name: string;
  icons?: Icon[];
  range?: TextRange;
  _meta?: Record<string, unknown>;
  enabled: boolean;
  clientId?: string;
  load?: CustomizationLoadState;
  children?: ChildCustomization[];
}

export type Customization = PluginCustomization | DirectoryCustomization | McpServerCustomization;

export interface CustomizationBase {
  id: string;
  uri: URI;
  name: string;
  icons?: Icon[];
  range?: TextRange;
  _meta?: Record<string, unknown>;
}

export interface CustomizationDegradedState {
  kind: 'degraded';
  message: string;
}

export interface CustomizationErrorState {
  kind: 'error';
  message: string;
}

export type CustomizationLoadState =
  | CustomizationLoadingState
  | CustomizationLoadedState
  | CustomizationDegradedState
  | CustomizationErrorState;

export interface CustomizationLoadedState {
  kind: 'loaded';
}

export interface CustomizationLoadingState {
  kind: 'loading';
}

export interface DirectoryCustomization {
  id: string;
  uri: URI;
  name: string;
  icons?: Icon[];
  range?: TextRange;
  _meta?: Record<string, unknown>;
  enabled: boolean;
  clientId?: string;
  load?: CustomizationLoadState;
  children?: ChildCustomization[];
  type: 'directory';
  contents: ChildCustomizationType;
  writable: boolean;
}

export interface HookCustomization {
  id: string;
  uri: URI;
  name: string;
  icons?: Icon[];
  range?: TextRange;
  _meta?: Record<string, unknown>;
  enabled?: boolean;
  type: 'hook';
}

export interface PluginCustomization {
  id: string;
  uri: URI;
  name: string;
  icons?: Icon[];
  range?: TextRange;
  _meta?: Record<string, unknown>;
  enabled: boolean;
  clientId?: string;
  load?: CustomizationLoadState;
  children?: ChildCustomization[];
  type: 'plugin';
  version?: string;
}

export interface PromptCustomization {
  id: string;
  uri: URI;
  name: string;
  icons?: Icon[];
  range?: TextRange;
  _meta?: Record<string, unknown>;
  enabled?: boolean;
  type: 'prompt';
  description?: string;
}

export interface RuleCustomization {
  id: string;
  uri: URI;
  name: string;
  icons?: Icon[];
  range?: TextRange;
  _meta?: Record<string, unknown>;
  enabled?: boolean;
  type: 'rule';
  description?: string;
  alwaysApply?: boolean;
  globs?: string[];
}

export interface SkillCustomization {
  id: string;
  uri: URI;
  name: string;
  icons?: Icon[];
  range?: TextRange;
  _meta?: Record<string, unknown>;
  enabled?: boolean;
  type: 'skill';
  description?: string;
  disableModelInvocation?: boolean;
  disableUserInvocation?: boolean;
}
