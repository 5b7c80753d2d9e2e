import type { ClientToHostRequests, MCP_METHOD_CAPABILITY, URI } from '@agenthost/protocol';

/** Methods of the `mcp://` channel of a server that are requests of clients. */
type McpSideMethod = Exclude<
  keyof typeof MCP_METHOD_CAPABILITY,
  'notifications/message' | 'sampling/createMessage'
>;

/**
 * Every request of a client: those of the protocol, and those of MCP on the `mcp://` channel of a server [MCP-2], whose other params and results
 * are those of the server.
 */
export type SentRequests = ClientToHostRequests &
  Record<
    McpSideMethod,
    { readonly params: { readonly channel: URI; readonly [name: string]: unknown }; readonly result: unknown }
  >;
