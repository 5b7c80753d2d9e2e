import type { DispatchOutcome, MessageQueue } from '@agenthost/client';
import type { PendingMessage } from '@agenthost/protocol';

/** Steers with a message that is queued. It leaves the queue once it is known to steer: it is never nowhere. */
export async function steerWaiting(
  queue: MessageQueue,
  { id, message }: PendingMessage,
): Promise<DispatchOutcome> {
  const steered = await queue.steer(message);
  return steered.outcome === 'accepted' ? queue.remove(id) : steered;
}
