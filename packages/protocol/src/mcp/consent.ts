/**
 * Name of the tool call by which a turn asks whether the MCP servers of its project may run. A client without a person denies the call, and the
 * turn goes on without the servers.
 */
export const MCP_CONSENT_TOOL = 'mcp_servers';
