import type { ChatState } from '@agenthost/protocol';
import type { Choice, Choices } from '@agenthost/protocol/dialects';
import { defined } from '@agenthost/protocol/values';
import type { Registry } from '../../sync/registry.ts';

/** Models and agents for a session or chat. Those of a chat precede those of its session. `undefined`: it is not in memory. */
export function choicesOf(registry: Registry, uri: string): Choices | undefined {
  const session = registry.getOf('session', uri);
  if (session !== undefined) {
    const chat = registry.getOf('chat', session.state.defaultChat ?? '');
    return { chosen: session.hostData.chosen ?? {}, last: chat === undefined ? {} : lastOf(chat.state) };
  }
  const chat = registry.getOf('chat', uri);
  if (chat === undefined) return undefined;
  const ofSession = registry.getOf('session', chat.session ?? '')?.hostData.chosen;
  return { chosen: { ...ofSession, ...chat.hostData.chosen }, last: lastOf(chat.state) };
}

function lastOf({ activeTurn, turns }: ChatState): Choice {
  const { model, agent } = (activeTurn ?? turns.at(-1))?.message ?? {};
  return defined({ model, agent });
}
