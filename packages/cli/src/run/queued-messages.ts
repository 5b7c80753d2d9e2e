import { randomUUID } from 'node:crypto';
import {
  type AhpClient,
  ChannelLost,
  type ChatHandle,
  type DispatchOutcome,
  DispatchRejected,
  type MessageQueue,
} from '@agenthost/client';
import { type Message, type PendingMessage, ROOT_URI } from '@agenthost/protocol';
import { CliError, EXIT } from '../process/exit.ts';

/** How a message is queued. */
export interface QueuedMessage {
  readonly message: Message;
  /** Takes the message back. */
  readonly signal: AbortSignal;
  /** Hears that it waits. */
  onQueued(): void;
  /** Hears that the queue waits: the turn before was cancelled or failed [CHAT-12]. */
  onHeld(): void;
}

/**
 * Queues a message in a chat and waits for its turn. Resolves with that turn's id, or with `undefined` when it was taken back by the
 * signal; rejects when the host refuses it, somebody else takes it out, or the chat goes.
 */
export async function queuedTurn(
  client: AhpClient,
  { mirror, queue }: ChatHandle,
  { message, signal, onQueued, onHeld }: QueuedMessage,
): Promise<string | undefined> {
  const id = randomUUID();
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const turns = () => {
    const { turns: done, activeTurn } = mirror.confirmed;
    return activeTurn === undefined ? done : [...done, activeTurn];
  };
  const known = new Set(turns().map((turn) => turn.id));
  const isQueued = (): boolean => mirror.confirmed.queuedMessages?.some((each) => each.id === id) === true;
  let isTaken = false;
  let isHeld = false;
  const gone = async (): Promise<void> => {
    // The host starts the turn right after the removal, so this answer comes later.
    await client.request('listSessions', { channel: ROOT_URI, limit: 1 });
    // A snapshot in place of envelopes tells of no start.
    const missed = turns().find((turn) => !known.has(turn.id) && turn.message.text === message.text);
    if (missed !== undefined || signal.aborted) resolve(missed?.id);
    else reject(new CliError(EXIT.error, 'another client removed the message from the queue'));
  };
  const look = (): void => {
    if (mirror.isLost) return reject(new ChannelLost(mirror.uri));
    if (isTaken && !isQueued()) {
      isTaken = false;
      gone().catch(reject);
    }
    const { activeTurn, turns: done } = mirror.confirmed;
    const waits = isQueued() && activeTurn === undefined && (done.at(-1)?.state ?? 'complete') !== 'complete';
    if (waits && !isHeld) onHeld();
    isHeld = waits;
  };
  const takeBack = (): void => {
    // One that has begun meanwhile is for the caller to cancel.
    void queue.remove(id).then(({ outcome }) => (outcome === 'accepted' ? resolve(undefined) : look()));
  };
  const stops = [
    mirror.onAction(({ action }) => {
      if (action.type === 'chat/turnStarted' && action.queuedMessageId === id) resolve(action.turnId);
    }),
    mirror.onChange(look),
  ];
  try {
    const added = await queue.add(message, id);
    if (added.outcome === 'rejected') throw new DispatchRejected(added);
    isTaken = true;
    if (isQueued()) onQueued();
    if (signal.aborted) takeBack();
    else signal.addEventListener('abort', takeBack, { once: true });
    look();
    return await promise;
  } finally {
    signal.removeEventListener('abort', takeBack);
    for (const stop of stops) stop();
  }
}

/** Steers with a queued message. The message leaves the queue only after the host has accepted it as a steering message. */
export async function steerWaiting(
  queue: MessageQueue,
  { id, message }: PendingMessage,
): Promise<DispatchOutcome> {
  const steered = await queue.steer(message);
  return steered.outcome === 'accepted' ? queue.remove(id) : steered;
}
