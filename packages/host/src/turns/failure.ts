import type { ErrorInfo, ErrorResponsePart } from '@agenthost/protocol';
import type { Channel } from '../sync/channel.ts';
import { commandOf } from './command/command.ts';
import type { TurnParts } from './parts.ts';

type FailureParts = Pick<TurnParts, 'sync' | 'agents'>;

/** Errors that stay until a person has changed something on the machine of the host. */
const LASTING: readonly string[] = ['agentMissing', 'authRequired'];

/** The part that ends a chat's active turn with an error. It is resumable if the chat's agent can continue the turn [CHAT-22]. */
export function failurePart(parts: FailureParts, chat: Channel<'chat'>, error: ErrorInfo): ErrorResponsePart {
  const isResumable = !LASTING.includes(error.errorType) && canContinue(parts, chat);
  return isResumable ? { kind: 'error', error, resumable: true } : { kind: 'error', error };
}

function canContinue(parts: FailureParts, chat: Channel<'chat'>): boolean {
  const { activeTurn, origin } = chat.outline;
  // The host itself runs commands, and the parent's agent writes the chat of a worker.
  if (activeTurn === undefined || commandOf(activeTurn.message) !== undefined || origin?.kind === 'tool')
    return false;
  return canResume(parts, chat);
}

/** Whether the agent of a chat can continue a failed turn now. In a fork it may know nothing of a copied turn. */
export function canResume({ sync, agents }: FailureParts, chat: Channel<'chat'>): boolean {
  const session = sync.registry.getOf('session', chat.session ?? '');
  if (session?.state.lifecycle !== 'ready' || !agents.ids.includes(session.state.provider)) return false;
  return agents.get(session.state.provider).canResumeTurns?.(chat.hostData.memory) === true;
}
