import type { Channel } from '../sync/channel.ts';
import type { Sync } from '../sync/sync.ts';
import type { Tx } from '../sync/tx.ts';

/**
 * The language of the host's texts in each chat's current turn: that of the client that started or queued the
 * turn [CHAT-19].
 */
export class TurnLocales {
  readonly #sync: Sync;
  /** By chat. */
  readonly #present = new Map<string, string>();

  constructor(sync: Sync) {
    this.#sync = sync;
    sync.observe('chat', (tx, { channel, action, after }) => {
      if (action.type === 'chat/turnStarted') {
        const { locales = {} } = channel.hostData;
        const id = action.queuedMessageId ?? '';
        const locale = Object.hasOwn(locales, id) ? locales[id] : undefined;
        if (locale !== undefined) this.#present.set(channel.uri, locale);
      }
      if (after.activeTurn === undefined) this.#present.delete(channel.uri);
    });
  }

  /** Called when a client has started the chat's turn. */
  started(chat: string, locale: string): void {
    this.#present.set(chat, locale);
  }

  /**
   * Called when a client has set a pending message. The message may start a turn later, even after a restart.
   * Removes the locales of messages that no longer wait. (A steering message that no agent accepted is
   * removed before it is queued.)
   */
  pending(tx: Tx, chat: Channel<'chat'>, messageId: string, locale: string): void {
    const { queuedMessages = [], steeringMessage } = chat.state;
    const waiting = new Set([...queuedMessages.map(({ id }) => id), steeringMessage?.id]);
    const kept = Object.entries(chat.hostData.locales ?? {}).filter(([id]) => waiting.has(id));
    const locales = Object.fromEntries([...kept, [messageId, locale]]);
    tx.setHostData(chat, { ...chat.hostData, locales });
  }

  /** BCP 47; `en` if unknown. A worker chat has the locale of the turn that it works for. */
  of(chat: string): string {
    const origin = this.#sync.registry.getOf('chat', chat)?.outline.origin;
    return this.#present.get(chat) ?? (origin?.kind === 'tool' ? this.of(origin.chat) : 'en');
  }
}
