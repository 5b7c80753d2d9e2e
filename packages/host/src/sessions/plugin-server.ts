import type { McpServerEntry } from '../config/mcp-servers.ts';

/** An MCP server that a plugin of a session names. */
export interface PluginServer {
  /** Id of its customization. */
  readonly id: string;
  /** URI of the file that names it. */
  readonly uri: string;
  readonly entry: McpServerEntry;
  /** Name of the plugin. */
  readonly plugin: string;
  /** URI of the plugin, and the client that publishes it: where a decision about the server holds. */
  readonly place: string;
  /** Absolute path of the plugin's folder. Absent: a client has it. */
  readonly root?: string;
  /** Whether the plugin is one of the user's own folder, so that nobody has to be asked. */
  readonly isUsers: boolean;
}
