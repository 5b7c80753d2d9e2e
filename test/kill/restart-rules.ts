import type { ActionEnvelope } from '@agenthost/protocol';
import { expect } from 'vitest';

/**
 * Reads journals in order, and fails where a restart did what it must not: a turn that was open has to end as such before anything else
 * begins in its chat [CHAT-5], and a queue is held until somebody lets it go [CHAT-12].
 */
export class RestartRules {
  /** The open turn of each chat. */
  readonly #open = new Map<string, string>();
  /** Turns that the last kill left open, by chat. */
  readonly #left = new Map<string, string>();
  /** Chats whose queue somebody has set going since. */
  readonly #released = new Set<string>();
  /** Turns that were open when their host was killed, and were ended for that. */
  endedCount = 0;
  /** Turns that began from a queue. */
  queuedCount = 0;

  /** What was added last is all that a killed host has written. */
  killed(): void {
    for (const [chat, turnId] of this.#open) this.#left.set(chat, turnId);
    this.#open.clear();
    this.#released.clear();
  }

  add(rows: readonly ActionEnvelope[]): void {
    for (const row of rows) this.#read(row);
  }

  #read({ channel, action, origin }: ActionEnvelope): void {
    switch (action.type) {
      case 'chat/turnStarted':
        expect(this.#left.get(channel), `${channel}: ${action.turnId} began over it`).toBeUndefined();
        if (action.queuedMessageId !== undefined) {
          expect(this.#released.has(channel), `${channel}: the queue was set going`).toBe(true);
          this.queuedCount += 1;
        }
        this.#open.set(channel, action.turnId);
        this.#released.add(channel);
        return;
      case 'chat/turnComplete':
      case 'chat/turnCancelled':
      case 'chat/error':
        if (this.#left.get(channel) === action.turnId) {
          expect(action, channel).toMatchObject({
            type: 'chat/error',
            error: { errorType: 'hostRestarted' },
          });
          this.#left.delete(channel);
          this.endedCount += 1;
        }
        this.#open.delete(channel);
        return;
      case 'chat/truncated':
        expect(this.#left.get(channel), `${channel} was truncated over it`).toBeUndefined();
        this.#open.delete(channel);
        return;
      case 'chat/pendingMessageSet':
        if (action.kind === 'queued' && origin !== undefined) this.#released.add(channel);
        return;
      case 'chat/queuedMessagesReordered':
        if (origin !== undefined) this.#released.add(channel);
        return;
      default:
    }
  }
}
