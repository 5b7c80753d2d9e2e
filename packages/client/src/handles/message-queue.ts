import type { Message, PendingMessage, PendingMessageKind } from '@agenthost/protocol';
import type { Mirror } from '../mirror/mirror.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';

/**
 * Waiting messages of a chat: the queue, whose messages become turns one after the other, and the message
 * that steers the running turn [CHAT-11] [CHAT-12]. All clients share them. After a cancel, an error, a
 * truncation or a restart of the host the queue is held until a client queues a message, reorders it or calls
 * `release`.
 */
export class MessageQueue {
  readonly #mirror: Mirror<'chat'>;
  readonly #newId: () => string;

  constructor(mirror: Mirror<'chat'>, newId: () => string) {
    this.#mirror = mirror;
    this.#newId = newId;
  }

  /** Queued messages, the next one first. */
  get messages(): readonly PendingMessage[] {
    return this.#mirror.state.queuedMessages ?? [];
  }

  /** The steering message that the agent has not taken yet. */
  get steering(): PendingMessage | undefined {
    return this.#mirror.state.steeringMessage;
  }

  /**
   * Queues a message. It starts at once when no turn runs and the queue is empty. `id` is its id, random by
   * default.
   */
  add(message: string | Message, id = this.#newId()): Promise<DispatchOutcome> {
    return this.#set('queued', id, asMessage(message));
  }

  /**
   * Sends a message to the agent during its turn; replaces a steering message that still waits. If the agent
   * cannot take it, the host puts it at the head of the queue under the same id. Without a running turn it
   * waits for the next one.
   */
  steer(message: string | Message, id = this.#newId()): Promise<DispatchOutcome> {
    return this.#set('steering', id, asMessage(message));
  }

  /**
   * Replaces a waiting message in its place; a plain text keeps its attachments, model and agent. `rejected`
   * with `noSuchMessage` when no such message waits. A message that starts at the same moment is queued again
   * at the end.
   */
  async edit(id: string, message: string | Message): Promise<DispatchOutcome> {
    const found = this.#find(id);
    if (found === undefined) return noSuchMessage(id);
    return this.#set(found.kind, id, edited(found.message, message));
  }

  /** Removes a waiting message. `rejected` with `noSuchMessage` when no such message waits. */
  async remove(id: string): Promise<DispatchOutcome> {
    const found = this.#find(id);
    if (found === undefined) return noSuchMessage(id);
    return this.#mirror.dispatch({ type: 'chat/pendingMessageRemoved', kind: found.kind, id });
  }

  /**
   * Moves the messages with these ids to the front, in this order; the others keep theirs. Without a running
   * turn the first message starts.
   */
  reorder(ids: readonly string[]): Promise<DispatchOutcome> {
    return this.#mirror.dispatch({ type: 'chat/queuedMessagesReordered', order: [...ids] });
  }

  /**
   * Releases a held queue: its first message starts. Does nothing while a turn runs or when the queue is
   * empty.
   */
  release(): Promise<DispatchOutcome> {
    return this.reorder(this.messages.map(({ id }) => id));
  }

  #set(kind: PendingMessageKind, id: string, message: Message): Promise<DispatchOutcome> {
    return this.#mirror.dispatch({ type: 'chat/pendingMessageSet', kind, id, message });
  }

  #find(id: string): (PendingMessage & { readonly kind: PendingMessageKind }) | undefined {
    const queued = this.messages.find((each) => each.id === id);
    if (queued !== undefined) return { ...queued, kind: 'queued' };
    return this.steering?.id === id ? { ...this.steering, kind: 'steering' } : undefined;
  }
}

const noSuchMessage = (id: string): DispatchOutcome => ({
  outcome: 'rejected',
  code: 'noSuchMessage',
  reason: `no message with the id ${id} is waiting`,
});

/** A user's message from its text; a `Message` is returned unchanged. */
export const asMessage = (message: string | Message): Message =>
  typeof message === 'string' ? { text: message, origin: { kind: 'user' } } : message;

/**
 * The earlier message with another text; `change` itself when it is a `Message`. Attachments stay without
 * their ranges in the text.
 */
export function edited(earlier: Message, change: string | Message | undefined): Message {
  if (change === undefined) return earlier;
  if (typeof change !== 'string') return change;
  const { attachments, ...rest } = earlier;
  return {
    ...rest,
    text: change,
    origin: { kind: 'user' },
    ...(attachments === undefined ? {} : { attachments: attachments.map(({ range: _, ...kept }) => kept) }),
  };
}
