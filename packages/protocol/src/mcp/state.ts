import type { ProtectedResourceMetadata } from '../auth/auth.ts';
import type { CustomizationBase, Enableable } from '../session/customization-base.ts';
import type { ErrorInfo, URI } from '../wire/basics.ts';

/** An MCP server, alone or as part of a plugin or directory [CUST-1] [MCP-1]. */
export interface McpServerCustomization extends CustomizationBase, Enableable {
  type: 'mcpServer';
  state: McpServerState;
  /** Its `mcp://` channel. Absent: closed, as in every state except `ready` [MCP-2]. */
  channel?: URI;
  /** Absent: it has no user interfaces. */
  mcpApp?: McpServerCustomizationApps;
}

/** The state of an MCP server [MCP-1]. */
export type McpServerState =
  | McpServerStartingState
  | McpServerReadyState
  | McpServerAuthRequiredState
  | McpServerErrorState
  | McpServerStoppedState;

/** Known, not ready yet. */
export interface McpServerStartingState {
  kind: 'starting';
  /** True: messages may wait until the server is ready [MCP-21]. Absent: false. */
  blocking?: boolean;
}

/** Ready. */
export interface McpServerReadyState {
  kind: 'ready';
}

/** Why an MCP server needs a token: it has none, an expired one, or one with too few scopes. */
export type McpAuthRequiredReason = 'required' | 'expired' | 'insufficientScope';

/** The OAuth client that a client is to sign in with. */
export interface McpOAuthClient {
  clientId: string;
  /** Absent: it is a public client. */
  clientSecret?: string;
}

/** Waits for `authenticate` with `resource.resource`. No separate notification is sent [AUTH-2]. */
export interface McpServerAuthRequiredState extends McpAuthRequirement {
  kind: 'authRequired';
}

/** The token that an MCP server needs [MCP-20]. */
export interface McpAuthRequirement {
  /** Absent: any client may be used. */
  oauthClient?: McpOAuthClient;
  reason: McpAuthRequiredReason;
  resource: ProtectedResourceMetadata;
  /** Scopes that the token needs now, whatever `resource.scopes_supported` lists. Absent: unspecified. */
  requiredScopes?: string[];
  description?: string;
}

/** Failed to start, or failed later. Stays in this state until it is started again. */
export interface McpServerErrorState {
  kind: 'error';
  error: ErrorInfo;
}

/** Stopped on purpose. */
export interface McpServerStoppedState {
  kind: 'stopped';
}

/** What a client needs to show user interfaces of an MCP server. */
export interface McpServerCustomizationApps {
  capabilities: AhpMcpUiHostCapabilities;
}

/**
 * The MCP methods that pass through an `mcp://` channel, with the field names of MCP Apps, so that a view can
 * use the object unchanged. Methods of an absent capability are answered with `-32601` [MCP-2].
 */
export interface AhpMcpUiHostCapabilities {
  /** `tools/list`, `tools/call`. */
  serverTools?: McpListCapability;
  /** `resources/list`, `resources/templates/list`, `resources/read`. */
  serverResources?: McpListCapability;
  /** Log messages of the view. */
  logging?: Record<string, unknown>;
  /** `sampling/createMessage`; with `tools`, also requests with tools. */
  sampling?: { tools?: Record<string, unknown> };
}

/** A list kept by an MCP server. */
export interface McpListCapability {
  /** True: its change notifications pass through as well. Absent: false. */
  listChanged?: boolean;
}
