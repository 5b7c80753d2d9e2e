import { MCP_METHOD_CAPABILITY, methodNotFound, permissionDenied } from '@agenthost/protocol';
import type { SideCaller, StatelessChannels } from '../../handler-port/stateless-channels.ts';
import type { Connection } from '../connection/connection.ts';
import { callerOf } from './caller.ts';

/** A log message of a view: the one method that is a notification. */
const LOG_MESSAGE = 'notifications/message';
/** Calls of tools may take minutes. They take no place among the running requests of the connection. */
const UNGATED: ReadonlySet<string> = new Set(['tools/call']);

/** Routes the requests of a connection that go to MCP servers [MCP-2]. Later messages do not wait for them. */
export function routeSideRequests(connection: Connection, channels: Pick<StatelessChannels, 'side'>): void {
  const sideCaller = (): SideCaller => ({
    ...callerOf(connection),
    hasMcpApps: connection.online.client.hasMcpApps,
  });
  for (const method of Object.keys(MCP_METHOD_CAPABILITY)) {
    if (method === LOG_MESSAGE) continue;
    connection.peer.handle(
      method,
      (params, { signal }) => {
        // Throws before the handshake [WIRE-4].
        const caller = sideCaller();
        if (connection.isEnding) throw permissionDenied('The token of this connection has ended');
        const { side } = channels;
        if (side === undefined || !connection.sight.isWhole) throw methodNotFound(method);
        const run = (): Promise<object> => side.request(method, params, caller, signal);
        return UNGATED.has(method) ? run() : connection.gate.run(run);
      },
      { concurrent: true },
    );
  }
  connection.peer.onNotification(LOG_MESSAGE, (params) => {
    if (connection.isOnline && connection.sight.isWhole) channels.side?.logged(params, sideCaller());
  });
}
