import { defined } from '@agenthost/protocol/values';
import type { PluginServer } from '../../sessions/plugin-server.ts';
import { pathOfFileUri } from '../../workspace/file-uri.ts';
import type { ResolvedContainer } from './resolve.ts';

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
