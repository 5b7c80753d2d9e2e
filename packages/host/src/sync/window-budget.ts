import type { ChatState } from '@agenthost/protocol';
import type { Channel } from './channel.ts';
import type { Sync } from './sync.ts';
import { newestSize, windowSize, withTurns } from './window.ts';

/** Maximum characters of JSON of all completed turns in memory, for all chats together. */
export const ALL_WINDOWS_LENGTH = 32 * 1024 * 1024;

/**
 * Share of the limit that remains after windows were dropped, so that the next turn does not exceed it again.
 */
const LEFT_SHARE = 3 / 4;

/**
 * Limits the completed turns in memory. Above the limit, drops the windows of the chats that were used least
 * recently. Their turns are on disk, and are read when needed.
 */
export class WindowBudget {
  readonly #sync: Sync;
  readonly #maxLength: number;
  /** Measured sizes by channel. */
  readonly #known = new Map<Channel, number>();
  /**
   * Sum of the measured sizes. May be too high if windows shrank in another way, or channels were unloaded.
   */
  #total = 0;

  constructor(sync: Sync, maxLength = ALL_WINDOWS_LENGTH) {
    this.#sync = sync;
    this.#maxLength = maxLength;
    sync.registry.onAdded((channel) => {
      if (channel.is('chat')) this.#grown(channel);
    });
    // Register after `archiveTurns`, which may reduce the window.
    sync.observe('chat', (tx, { channel, before, after }) => {
      if (before.turns !== after.turns) this.#grown(channel);
    });
  }

  /** Measures all windows, including those that grew in another way. Call it regularly. */
  check(): void {
    // Turns that are not on disk yet must stay in memory.
    if (!this.#sync.path.isHealthy) return;
    this.#known.clear();
    this.#total = 0;
    const loaded = [...this.#sync.registry.ofKind('chat')];
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
