import { doc, docs } from '../oracle/doc.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

/**
 * Checks that the host assumes no window wider than the real one: it would not report a truncation outside of
 * the real window to the client [CHAT-6]. Throws a `Violation`.
 */
export function checkWindows({ life, clients, foreigners }: World): void {
  const core = life?.host.core;
  for (const chat of core?.sync.registry.ofKind('chat') ?? []) {
    const windows = [
      ...clients.map(
        (client) => [client.clientId, windowOf(client.mirror(chat.uri, 'chat')?.confirmed)] as const,
      ),
      ...foreigners.map(({ name, states }) => [name, windowOf(states.get(chat.uri)?.state)] as const),
    ];
    for (const [clientId, held] of windows) {
      const connection = core?.hub.connectionOf(clientId);
      const subscription = connection && chat.subscriptions.get(connection);
      if (held === undefined || subscription === undefined) continue;
      // The end of its turn is not committed or delivered yet.
      if (held.active !== chat.state.activeTurn?.id) continue;
      const oldest = chat.hostData.turnCount - held.turnCount;
      if (oldest > subscription.fromOrdinal)
        throw new Violation(
          'convergence',
          `${clientId} has ${chat.uri} from turn ${oldest} on, and the host thinks from ${subscription.fromOrdinal}`,
        );
    }
  }
}

/** The id of the active turn and the number of completed ones that a client holds. */
function windowOf(state: object | undefined): { active: unknown; turnCount: number } | undefined {
  if (state === undefined || !('turns' in state)) return undefined;
  const { activeTurn, turns } = doc(state);
  return { active: doc(activeTurn)['id'], turnCount: docs(turns).length };
}
