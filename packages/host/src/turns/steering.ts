import type { Message, PendingMessage, SystemNotificationResponsePart } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { AgentSession } from '../agents/provider.ts';
import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';
import type { TurnParts } from './parts.ts';

/** How long a finished turn stays open for the answer about a message that is on its way to the agent. */
const ANSWER_GRACE_MS = 5_000;

/** Brings the steering messages of one turn to its agent, one after the other [CHAT-12]. */
export class Steering {
  readonly #parts: Pick<TurnParts, 'sync' | 'timers' | 'log' | 'attachments'>;
  readonly #turn: { readonly chat: string; readonly turnId: string };
  /** Who has the turn; absent before that is known, and when the turn is as good as over. */
  #taker: AgentSession | 'host' | undefined;
  #delivery: Promise<void> | undefined;

  constructor(
    parts: Pick<TurnParts, 'sync' | 'timers' | 'log' | 'attachments'>,
    turn: { readonly chat: string; readonly turnId: string },
  ) {
    this.#parts = parts;
    this.#turn = turn;
  }

  /** The agent works on the turn from now on, or the host itself does, which takes no messages. */
  begin(taker: AgentSession | 'host'): void {
    this.#taker = taker;
    this.look();
  }

  /** Takes up the chat's steering message, unless another one is on its way: that one's answer comes first. */
  look(): void {
    const taker = this.#taker;
    const pending = this.#chat()?.state.steeringMessage;
    if (taker === undefined || pending === undefined || this.#delivery !== undefined) return;
    this.#delivery = this.#deliver(taker, pending);
  }

  /**
   * The agent has done its part: nothing more goes to it, and what is on its way is waited for, so that no message is both taken and
   * queued. Never rejects.
   */
  async settle(signal: AbortSignal): Promise<void> {
    this.#taker = undefined;
    if (this.#delivery === undefined) return;
    const over = Promise.withResolvers<void>();
    const giveUp = (): void => over.resolve();
    const cancel = this.#parts.timers.after(ANSWER_GRACE_MS, giveUp);
    signal.addEventListener('abort', giveUp, { once: true });
    await Promise.race([this.#delivery, over.promise]);
    signal.removeEventListener('abort', giveUp);
    cancel();
  }

  async #deliver(taker: AgentSession | 'host', pending: PendingMessage): Promise<void> {
    const isTaken = await this.#ask(taker, pending.message);
    const { sync } = this.#parts;
    sync.transact('host', (tx) => {
      // Not before: while the journal is down this waits, the message still stands there, and would be brought again and again.
      tx.effect(() => {
        this.#delivery = undefined;
        this.look();
      });
      // Where the turn has ended meanwhile, its end has moved the message to the queue.
      const chat = this.#chat();
      if (chat === undefined) return;
      if (isTaken) this.#consume(tx, chat, pending);
      // Edited on its way: the queue gets what it says now.
      else if (chat.state.steeringMessage?.id === pending.id)
        queueSteering(tx, chat, chat.state.steeringMessage);
    });
  }

  /** Whether the agent has it. Never rejects. */
  async #ask(taker: AgentSession | 'host', message: Message): Promise<boolean> {
    if (taker === 'host' || taker.steer === undefined) return false;
    try {
      return await taker.steer(message);
    } catch (error) {
      this.#parts.log.warn({ error, chat: this.#turn.chat }, 'an agent did not take a steering message');
      return false;
    }
  }

  /** What the agent has stands in the turn, also when a person has edited, replaced or removed the message since. */
  #consume(tx: Tx, chat: Channel<'chat'>, pending: PendingMessage): void {
    const { attachments } = this.#parts;
    const present = chat.state.steeringMessage;
    const place = { session: chat.session ?? '', chat: chat.uri };
    const message = attachments.storeForTurn(tx, place, pending.message, this.#turn.turnId);
    if (present?.id === pending.id && sameJson(present.message, pending.message))
      tx.emit(chat, { type: 'chat/pendingMessageRemoved', kind: 'steering', id: pending.id });
    tx.emit(chat, {
      type: 'chat/responsePart',
      turnId: this.#turn.turnId,
      part: steeringPart({ ...pending, message }),
    });
  }

  /** The chat, while this turn is its active one. */
  #chat(): Channel<'chat'> | undefined {
    const chat = this.#parts.sync.registry.getOf('chat', this.#turn.chat);
    return chat?.outline.activeTurn?.id === this.#turn.turnId ? chat : undefined;
  }
}

/** Moves a steering message that no agent takes to the head of the queue [CHAT-12]. */
export function queueSteering(tx: Tx, chat: Channel<'chat'>, { id, message }: PendingMessage): void {
  tx.emit(chat, { type: 'chat/pendingMessageRemoved', kind: 'steering', id });
  tx.emit(chat, { type: 'chat/pendingMessageSet', kind: 'queued', id, message });
  tx.emit(chat, { type: 'chat/queuedMessagesReordered', order: [id] });
}

/** A turn that ends, whoever ends it, leaves the steering message that it did not take to the queue [CHAT-12]. */
export function queueLeftSteering(sync: Sync): void {
  sync.observe('chat', (tx, { channel, before, after }) => {
    if (before.activeTurn === undefined || after.activeTurn !== undefined) return;
    const left = channel.state.steeringMessage;
    if (left !== undefined) queueSteering(tx, channel, left);
  });
}

/** How a turn shows a message that steered it: in words, and whole for those who know the field. */
function steeringPart(pending: PendingMessage): SystemNotificationResponsePart {
  const { text, attachments = [] } = pending.message;
  const labels = attachments.map(({ label }) => `[${label}]`);
  return {
    kind: 'systemNotification',
    content: `Steering message: ${[text, ...labels].join(' ')}`,
    'x-steering': pending,
  };
}
