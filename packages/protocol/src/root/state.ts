import type { ProtectedResourceMetadata } from '../auth/auth.ts';
import type { ConfigSchema } from '../config/schema.ts';
import type { Customization } from '../session/customization.ts';
import type { TerminalInfo } from '../terminal/state.ts';
import type { WithMeta } from '../wire/basics.ts';

/**
 * State of the whole host [ROOT-1]. `_meta.hostBuild` names its build. Sessions are listed by `listSessions`.
 */
export interface RootState extends WithMeta {
  agents: AgentInfo[];
  /** Sessions that are not disposed. */
  activeSessions?: number;
  terminals?: TerminalInfo[];
  /** Absent: the host has no settings. */
  config?: RootConfigState;
}

/** The host's configuration: schema and values [ROOT-5]. */
export interface RootConfigState {
  schema: ConfigSchema;
  /** By property name. */
  values: Record<string, unknown>;
}

/** An agent for sessions. */
export interface AgentInfo {
  /** Its id; matches `[a-z][a-z0-9+.-]*` and is not a scheme of the protocol. */
  provider: string;
  displayName: string;
  description: string;
  models: SessionModelInfo[];
  /** Resources that it needs tokens for [AUTH-2]. Absent: none. */
  protectedResources?: ProtectedResourceMetadata[];
  /** Customizations that it adds to every session of its own [CUST-1]. */
  customizations?: Customization[];
  /** Absent: none. */
  capabilities?: AgentCapabilities;
}

/** Optional abilities of an agent. An absent field means that the agent lacks it [CHAT-1]. */
export interface AgentCapabilities {
  /** More than one chat in a session. */
  multipleChats?: MultipleChatsCapability;
  /** More than one working directory in a session, and changes of them [SESS-21]. */
  multipleWorkingDirectories?: MultipleWorkingDirectoriesCapability;
}

/** Details of {@link AgentCapabilities.multipleChats}. */
export interface MultipleChatsCapability {
  /** True: a chat may start as a copy of another. Absent: false. */
  fork?: boolean;
  /** True: a chat may start beside another, with its context [CHAT-39]. Absent: false. */
  sideChat?: boolean;
}

/** Details of {@link AgentCapabilities.multipleWorkingDirectories}. */
export interface MultipleWorkingDirectoriesCapability {
  /** True: the primary directory cannot be removed. Absent: false. */
  immutablePrimary?: boolean;
  /** True: directories can be replaced, the primary one too [SESS-22]. Absent: false. */
  primaryReplacement?: boolean;
}

/** Whether a model may be used; `unconfigured` when no policy decides. */
export type PolicyState = 'enabled' | 'disabled' | 'unconfigured';

/** A model of an agent. */
export interface SessionModelInfo extends WithMeta {
  id: string;
  provider: string;
  name: string;
  /** Tokens. Absent: unknown. */
  maxContextWindow?: number;
  /** Tokens. Absent: unknown. */
  maxOutputTokens?: number;
  /** Tokens. Absent: unknown. */
  maxPromptTokens?: number;
  /** Accepts images. Absent: unknown. */
  supportsVision?: boolean;
  /** Absent: allowed. */
  policyState?: PolicyState;
  /** Schema of `ModelSelection.config` for this model. Absent: no settings. */
  configSchema?: ConfigSchema;
}
