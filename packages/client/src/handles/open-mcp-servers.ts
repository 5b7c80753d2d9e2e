import type { McpServers, McpServersPort } from './mcp-servers.ts';

/**
 * Opens the MCP servers that the host runs for sessions [MCP-1]. The code is loaded with the first call, because most programs do not use it.
 *
 * @example
 * const servers = await openMcpServers(client);
 * for (const { name, state } of await servers.list(session.uri)) console.log(name, state.kind);
 */
export async function openMcpServers(client: McpServersPort): Promise<McpServers> {
  const { McpServers: Opened } = await import('./mcp-servers.ts');
  return new Opened(client);
}
