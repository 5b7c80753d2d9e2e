import type { Sync } from '../sync/sync.ts';

/** In whose language the host speaks in each chat's present turn: that of the client who started or queued it [CHAT-19]. */
export class TurnLocales {
  readonly #sync: Sync;
  /** By chat. */
  readonly #present = new Map<string, string>();
  /** By chat and pending message. */
  readonly #pending = new Map<string, string>();

  constructor(sync: Sync) {
    this.#sync = sync;
    sync.observe('chat', ({ channel, action, after }) => {
      const { uri } = channel;
      if (action.type === 'chat/turnStarted') {
        const locale = this.#pending.get(keyOf(uri, action.queuedMessageId ?? ''));
        if (locale !== undefined) this.#present.set(uri, locale);
      } else if (action.type === 'chat/pendingMessageRemoved') {
        // A turn that takes it up starts in the same tick; a steering message that nobody took is queued in it.
        sync.path.effect(() => this.#dropUnless(uri, action.id));
      }
      if (after.activeTurn === undefined) this.#present.delete(uri);
    });
  }

  /** A client has started the chat's turn. */
  started(chat: string, locale: string): void {
    this.#present.set(chat, locale);
  }

  /** A client has set a pending message, which may become a turn. */
  pending(chat: string, messageId: string, locale: string): void {
    this.#pending.set(keyOf(chat, messageId), locale);
  }

  /** BCP 47; `en` when unknown. A worker speaks as the turn that it works for. */
  of(chat: string): string {
    const origin = this.#sync.registry.getOf('chat', chat)?.outline.origin;
    return this.#present.get(chat) ?? (origin?.kind === 'tool' ? this.of(origin.chat) : 'en');
  }

  #dropUnless(chat: string, messageId: string): void {
    const queue = this.#sync.registry.getOf('chat', chat)?.state.queuedMessages ?? [];
    if (!queue.some(({ id }) => id === messageId)) this.#pending.delete(keyOf(chat, messageId));
  }
}

const keyOf = (chat: string, messageId: string): string => `${chat} ${messageId}`;
