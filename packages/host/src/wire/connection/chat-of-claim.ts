import { findToolCallPart } from '@agenthost/protocol';
import type { Registry } from '../../sync/registry.ts';

/**
 * The chat for a claim of an older client that names none: the chat whose active turn has the tool call, else the default chat [TERM-21].
 * `undefined`: the session is not in memory. A client that can see a session holds it there by its subscription.
 */
export function chatOfClaim(registry: Registry, session: string, toolCallId?: string): string | undefined {
  if (toolCallId !== undefined) {
    for (const channel of registry.ofSession(session)) {
      const parts = channel.is('chat') ? channel.state.activeTurn?.responseParts : undefined;
      if (parts !== undefined && findToolCallPart(parts, toolCallId) !== undefined) return channel.uri;
    }
  }
  return registry.getOf('session', session)?.state.defaultChat;
}
