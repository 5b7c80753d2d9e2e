import type { ProtectedResourceMetadata } from '../auth/auth.ts';
import type { ConfigSchema } from '../config/schema.ts';
import type { Customization } from '../session/customization.ts';
import type { TerminalInfo } from '../terminal/state.ts';
import type { WithMeta } from '../wire/basics.ts';

/** What concerns the whole host [ROOT-1]. `_meta.hostBuild` names its build. Sessions come by `listSessions`. */
export interface RootState extends WithMeta {
  agents: AgentInfo[];
  /** Sessions that are not disposed. */
  activeSessions?: number;
  terminals?: TerminalInfo[];
  /** Absent: the host has nothing to set. */
  config?: RootConfigState;
}

/** The host's configuration: what there is to set, and what is set [ROOT-5]. */
export interface RootConfigState {
  schema: ConfigSchema;
  /** By property name. */
  values: Record<string, unknown>;
}

/** An agent that sessions can be created with. */
export interface AgentInfo {
  /** Its id; matches `[a-z][a-z0-9+.-]*` and is no scheme of the protocol. */
  provider: string;
  displayName: string;
  description: string;
  models: SessionModelInfo[];
  /** What it needs tokens for [AUTH-2]. Absent: nothing. */
  protectedResources?: ProtectedResourceMetadata[];
  /** What it brings into every session of its own [CUST-1]. */
  customizations?: Customization[];
  /** Absent: none of them. */
  capabilities?: AgentCapabilities;
}

/** What an agent can do beyond the least. An absent field is something that it cannot [CHAT-1]. */
export interface AgentCapabilities {
  /** More than one chat in a session. */
  multipleChats?: MultipleChatsCapability;
}

/** Particulars of {@link AgentCapabilities.multipleChats}. */
export interface MultipleChatsCapability {
  /** True: a chat may start as a copy of another. Absent: false. */
  fork?: boolean;
}

/** Whether a model may be used here; `unconfigured` when nobody has decided. */
export type PolicyState = 'enabled' | 'disabled' | 'unconfigured';

/** A model that an agent can work with. */
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
  /** Takes images. Absent: unknown. */
  supportsVision?: boolean;
  /** Absent: may be used. */
  policyState?: PolicyState;
  /** What `ModelSelection.config` may hold for this model. Absent: nothing. */
  configSchema?: ConfigSchema;
}
