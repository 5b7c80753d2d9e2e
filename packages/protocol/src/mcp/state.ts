import type { ProtectedResourceMetadata } from '../auth/auth.ts';
import type { CustomizationBase } from '../session/customization-base.ts';
import type { ErrorInfo, URI } from '../wire/basics.ts';

/** An MCP server, on its own or as part of a plugin or directory [CUST-1] [MCP-1]. */
export interface McpServerCustomization extends CustomizationBase {
  type: 'mcpServer';
  enabled: boolean;
  state: McpServerState;
  /** Its `mcp://` channel. Absent: not open, as in every state but `ready` [MCP-2]. */
  channel?: URI;
  /** Absent: it shows no user interfaces of its own. */
  mcpApp?: McpServerCustomizationApps;
}

/** Where an MCP server's life stands [MCP-1]. */
export type McpServerState =
  | McpServerStartingState
  | McpServerReadyState
  | McpServerAuthRequiredState
  | McpServerErrorState
  | McpServerStoppedState;

/** Known, not serving yet. */
export interface McpServerStartingState {
  kind: 'starting';
}

/** Serving. */
export interface McpServerReadyState {
  kind: 'ready';
}

/** Why an MCP server wants a token: none yet, no longer valid, or good for too little. */
export type McpAuthRequiredReason = 'required' | 'expired' | 'insufficientScope';

/** Waits for `authenticate` with `resource.resource`; no notification is sent besides [AUTH-2]. */
export interface McpServerAuthRequiredState {
  kind: 'authRequired';
  reason: McpAuthRequiredReason;
  resource: ProtectedResourceMetadata;
  /** What the token has to be good for now, whatever `resource.scopes_supported` lists. Absent: not said. */
  requiredScopes?: string[];
  description?: string;
}

/** Did not start, or broke; it stays so until somebody starts it again. */
export interface McpServerErrorState {
  kind: 'error';
  error: ErrorInfo;
}

/** Ended on purpose. */
export interface McpServerStoppedState {
  kind: 'stopped';
}

/** What a client needs to show user interfaces of an MCP server. */
export interface McpServerCustomizationApps {
  capabilities: AhpMcpUiHostCapabilities;
}

/**
 * What of MCP passes through an `mcp://` channel, with the field names of MCP Apps so that a view can be given it
 * unchanged. Methods of an absent capability are `-32601` [MCP-2].
 */
export interface AhpMcpUiHostCapabilities {
  /** `tools/list`, `tools/call`. */
  serverTools?: McpListCapability;
  /** `resources/list`, `resources/templates/list`, `resources/read`. */
  serverResources?: McpListCapability;
  /** Log messages of the view. */
  logging?: Record<string, unknown>;
  /** `sampling/createMessage`; with `tools`, also requests that bring tools. */
  sampling?: { tools?: Record<string, unknown> };
}

/** A list that an MCP server keeps. */
export interface McpListCapability {
  /** True: its change notifications pass through too. Absent: false. */
  listChanged?: boolean;
}
