import type { Message, PendingMessage, PendingMessageKind } from '@agenthost/protocol';
import type { Mirror } from '../mirror/mirror.ts';
import type { DispatchOutcome } from '../mirror/pending-actions.ts';

/**
 * The messages of a chat that wait: those in the queue, which become turns one after the other, and the one that is to steer the turn that
 * runs [CHAT-11] [CHAT-12]. All clients see and change the same ones. After a cancel, an error, a truncation or a restart of the host the
 * queue waits until somebody queues a message, orders it anew, or calls `release`.
 */
export class MessageQueue {
  readonly #mirror: Mirror<'chat'>;
  readonly #newId: () => string;

  constructor(mirror: Mirror<'chat'>, newId: () => string) {
    this.#mirror = mirror;
    this.#newId = newId;
  }

  /** What is queued, the next turn first. */
  get messages(): readonly PendingMessage[] {
    return this.#mirror.state.queuedMessages ?? [];
  }

  /** The message that waits to steer; none once the agent has it. */
  get steering(): PendingMessage | undefined {
    return this.#mirror.state.steeringMessage;
  }

  /** Queues a message; it starts at once when no turn runs and none is before it. `id` names it, by default a new one. */
  add(message: string | Message, id = this.#newId()): Promise<DispatchOutcome> {
    return this.#set('queued', id, asMessage(message));
  }

  /**
   * Says something to the agent in the middle of its turn, in place of a steering message that still waits. An agent that cannot take
   * it gets it as its next turn: it is then at the head of the queue under the same id. While idle it waits for the next turn.
   */
  steer(message: string | Message, id = this.#newId()): Promise<DispatchOutcome> {
    return this.#set('steering', id, asMessage(message));
  }

  /**
   * Changes a waiting message in its place; a text keeps its attachments, model and agent. `rejected` as `noSuchMessage` when it does not
   * wait any more here; one that goes at this very moment is queued again, at the end.
   */
  async edit(id: string, message: string | Message): Promise<DispatchOutcome> {
    const found = this.#find(id);
    if (found === undefined) return noSuchMessage(id);
    return this.#set(found.kind, id, edited(found.message, message));
  }

  /** Takes a message back. `rejected` as `noSuchMessage` when it does not wait any more. */
  async remove(id: string): Promise<DispatchOutcome> {
    const found = this.#find(id);
    if (found === undefined) return noSuchMessage(id);
    return this.#mirror.dispatch({ type: 'chat/pendingMessageRemoved', kind: found.kind, id });
  }

  /** Puts the messages of these ids first, in this order; the others follow as they were. While no turn runs, the first one starts. */
  reorder(ids: readonly string[]): Promise<DispatchOutcome> {
    return this.#mirror.dispatch({ type: 'chat/queuedMessagesReordered', order: [...ids] });
  }

  /** Lets a queue go on that waits: starts its first message. While a turn runs, or nothing waits, this changes nothing. */
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
  reason: `no message ${id} waits`,
});

/** A message of the person, from its text or as it is. */
export const asMessage = (message: string | Message): Message =>
  typeof message === 'string' ? { text: message, origin: { kind: 'user' } } : message;

/** An earlier message with another text, if one is given; whole with another message. Attachments stay, their places in the text go. */
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
