import type { Message, PendingMessage, SystemNotificationResponsePart } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import type { AgentSession } from '../agents/provider.ts';
import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';
import { withAnnotations } from './contents/attached-annotations.ts';
import { withTranscripts } from './contents/attached-chats.ts';
import type { TurnParts } from './parts.ts';

/** Time that a finished turn waits for the agent's answer to a steering message. */
const ANSWER_GRACE_MS = 5_000;

/** Passes the steering messages of one turn to its agent, one at a time [CHAT-12]. */
export class Steering {
  readonly #parts: Pick<TurnParts, 'sync' | 'timers' | 'log' | 'attachments' | 'readLines' | 'expand'>;
  readonly #turn: { readonly session: string; readonly chat: string; readonly turnId: string };
  /**
   * Receives the messages: the agent session, or the host for a command. Absent before the turn has started
   * and after it has finished.
   */
  #taker: AgentSession | 'host' | undefined;
  #delivery: Promise<void> | undefined;

  constructor(
    parts: Pick<TurnParts, 'sync' | 'timers' | 'log' | 'attachments' | 'readLines' | 'expand'>,
    turn: { readonly session: string; readonly chat: string; readonly turnId: string },
  ) {
    this.#parts = parts;
    this.#turn = turn;
  }

  /** Starts to pass on messages. A turn that the host runs accepts none. */
  begin(taker: AgentSession | 'host'): void {
    this.#taker = taker;
    this.look();
  }

  /** Passes on the chat's steering message, unless the agent has not answered an earlier one yet. */
  look(): void {
    const taker = this.#taker;
    const pending = this.#chat()?.state.steeringMessage;
    if (taker === undefined || pending === undefined || this.#delivery !== undefined) return;
    this.#delivery = this.#deliver(taker, pending);
  }

  /**
   * Stops passing on messages and waits for the answer to the last one, so that no message is both accepted
   * and queued. Never rejects.
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
      // Runs after the commit. While the journal is unavailable the message stays in state and would be
      // passed on repeatedly.
      tx.effect(() => {
        this.#delivery = undefined;
        this.look();
      });
      // If the turn has ended meanwhile, its end has moved the message to the queue.
      const chat = this.#chat();
      if (chat === undefined) return;
      if (isTaken) this.#consume(tx, chat, pending);
      // The message may have been edited meanwhile. The queue gets the edited version.
      else if (chat.state.steeringMessage?.id === pending.id)
        queueSteering(tx, chat, chat.state.steeringMessage);
    });
  }

  /** Whether the agent has accepted the message. Never rejects. */
  async #ask(taker: AgentSession | 'host', message: Message): Promise<boolean> {
    if (taker === 'host' || taker.steer === undefined) return false;
    try {
      const given = this.#parts.expand?.(this.#turn.session, message) ?? message;
      const transcribed = await withTranscripts(this.#parts.sync, given);
      return await taker.steer(await withAnnotations(this.#parts, transcribed));
    } catch (error) {
      this.#parts.log.warn({ error, chat: this.#turn.chat }, 'an agent rejected a steering message');
      return false;
    }
  }

  /** Adds an accepted message to the turn, even if a user has edited, replaced or removed it meanwhile. */
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

  /** The chat, if this turn is its active turn. */
  #chat(): Channel<'chat'> | undefined {
    const chat = this.#parts.sync.registry.getOf('chat', this.#turn.chat);
    return chat?.outline.activeTurn?.id === this.#turn.turnId ? chat : undefined;
  }
}

/** Moves a steering message that no agent accepted to the head of the queue [CHAT-12]. */
export function queueSteering(tx: Tx, chat: Channel<'chat'>, pending: PendingMessage): void {
  const { id } = pending;
  tx.emit(chat, { type: 'chat/pendingMessageRemoved', kind: 'steering', id });
  tx.emit(chat, { type: 'chat/pendingMessageSet', kind: 'queued', ...pending });
  tx.emit(chat, { type: 'chat/queuedMessagesReordered', order: [id] });
}

/** Moves the pending steering message to the queue when a turn ends for any reason [CHAT-12]. */
export function queueLeftSteering(sync: Sync): void {
  sync.observe('chat', (tx, { channel, before, after }) => {
    if (before.activeTurn === undefined || after.activeTurn !== undefined) return;
    const left = channel.state.steeringMessage;
    if (left !== undefined) queueSteering(tx, channel, left);
  });
}

/**
 * The response part for a steering message: text for all clients, and the whole message for clients that know
 * the field.
 */
function steeringPart(pending: PendingMessage): SystemNotificationResponsePart {
  const { text, attachments = [] } = pending.message;
  const labels = attachments.map(({ label }) => `[${label}]`);
  return {
    kind: 'systemNotification',
    content: `Steering message: ${[text, ...labels].join(' ')}`,
    'x-steering': pending,
  };
}
