import { ROOT_URI } from '@agenthost/protocol';
import type { Sync } from '../../sync/sync.ts';
import type { Connection } from '../connection/connection.ts';

/**
 * Tells a client the present roles of its person, and, if it sees no other sessions, which sessions its list gains and loses. Nothing for a
 * client without a handshake.
 */
export function tellRoles(sync: Sync, connection: Connection): void {
  if (!connection.isOnline || connection.isClosed) return;
  const { sight, toldSessions } = connection;
  const roles = new Map(sight.roles);
  connection.toldSessions = new Set(roles.keys());
  connection.notify('x-rolesChanged', { channel: ROOT_URI, roles: Object.fromEntries(roles) });
  if (sight.isWhole) return;
  for (const session of toldSessions)
    if (!roles.has(session)) connection.tell('root/sessionRemoved', { channel: ROOT_URI, session });
  for (const session of roles.keys()) {
    if (toldSessions.has(session)) continue;
    const summary = sync.registry.getOf('session', session)?.hostData.summary;
    if (summary !== undefined) connection.notify('root/sessionAdded', { channel: ROOT_URI, summary });
  }
}
