import { defined } from '@agenthost/protocol/values';
import type { McpServerEntry } from '../../config/mcp-servers.ts';
import { pathOfFileUri } from '../../workspace/file-uri.ts';
import type { ResolvedContainer } from './resolve.ts';

/** An MCP server that a plugin names. */
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

/** The MCP servers of a plugin that are in effect. */
export function pluginServers(
  { customization, inEffect }: ResolvedContainer,
  userFolder: string | undefined,
): PluginServer[] {
  if (customization.type !== 'plugin') return [];
  const { uri, name: plugin, clientId } = customization;
  const root = clientId === undefined && uri.startsWith('file:') ? pathOfFileUri(uri) : undefined;
  const isUsers = root !== undefined && userFolder !== undefined && root.startsWith(`${userFolder}/`);
  const place = clientId === undefined ? uri : JSON.stringify([clientId, uri]);
  return inEffect.flatMap(({ child, server: entry }) =>
    entry === undefined
      ? []
      : [{ id: child.id, uri: child.uri, entry, plugin, place, isUsers, ...defined({ root }) }],
  );
}
