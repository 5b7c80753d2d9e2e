import type { ChatState } from '@agenthost/protocol';
import type { Channel } from './channel.ts';
import type { Sync } from './sync.ts';
import { newestSize, windowSize, withTurns } from './window.ts';

/** Completed turns of all chats in memory together, in characters of JSON. */
export const ALL_WINDOWS_LENGTH = 32 * 1024 * 1024;

/** So much of it is left when windows had to go, so that it does not come to that with the next turn. */
const LEFT_SHARE = 3 / 4;

/**
 * Bounds the completed turns in memory: above the limit, the windows of the chats that were used longest ago go. Their turns are on disk, and
 * are read when somebody asks for them.
 */
export class WindowBudget {
  readonly #sync: Sync;
  readonly #maxLength: number;
  /** By the window that was measured. */
  readonly #known = new Map<Channel, number>();
  /** Of those; more than there is when windows became smaller in another way, or channels went. */
  #total = 0;

  constructor(sync: Sync, maxLength = ALL_WINDOWS_LENGTH) {
    this.#sync = sync;
    this.#maxLength = maxLength;
    sync.registry.onAdded((channel) => {
      if (channel.is('chat')) this.#grown(channel);
    });
    // Behind `archiveTurns`, which may have made the window smaller.
    sync.observe('chat', (tx, { channel, before, after }) => {
      if (before.turns !== after.turns) this.#grown(channel);
    });
  }

  /** Measures everything; to be called now and then, for windows that grew in another way. */
  check(): void {
    // A turn that is not on disk yet stays.
    if (!this.#sync.path.isHealthy) return;
    this.#known.clear();
    this.#total = 0;
    const loaded = [...this.#sync.registry.all()].filter((channel) => channel.is('chat'));
    for (const chat of loaded) this.#measure(chat);
    if (this.#total <= this.#maxLength) return;
    for (const chat of loaded.toSorted((one, other) => one.usedAt - other.usedAt)) {
      if (this.#total <= LEFT_SHARE * this.#maxLength) return;
      if (chat.state.turns.length > 0) this.#empty(chat);
    }
  }

  #grown(chat: Channel<'chat'>): void {
    this.#measure(chat);
    if (this.#total > this.#maxLength) this.check();
  }

  #measure(chat: Channel<'chat'>): void {
    const length = windowSize(chat.outline);
    if (length > 0) chat.newestLength = newestSize(chat.outline);
    this.#total += length - (this.#known.get(chat) ?? 0);
    this.#known.set(chat, length);
  }

  #empty(chat: Channel<'chat'>): void {
    this.#sync.transact('host', (tx) => {
      const { turnCount, keptFrom } = chat.hostData;
      const state: ChatState = withTurns(chat.state, [], turnCount, keptFrom);
      tx.setWindow(chat, state);
    });
    this.#measure(chat);
  }
}
