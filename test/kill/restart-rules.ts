import type { ActionEnvelope } from '@agenthost/protocol';
import { expect } from 'vitest';

/**
 * Reads journals in order, and fails where a restart breaks a rule. An open turn must end with `hostRestarted` before anything else begins
 * in its chat [CHAT-5]. A queue waits until a client releases it [CHAT-12].
 */
export class RestartRules {
  /** The open turn of each chat. */
  readonly #open = new Map<string, string>();
  /** Turns that the last kill left open, by chat. */
  readonly #left = new Map<string, string>();
  /** Chats whose queue a client has released since the kill. */
  readonly #released = new Set<string>();
  /** Number of turns that a restart ended. */
  endedCount = 0;
  /** Number of turns that began from a queue. */
  queuedCount = 0;

  /** Marks the end of the rows of a killed host. */
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
      case 'chat/turnResume':
        expect(this.#left.get(channel), `${channel}: ${action.turnId} was resumed over it`).toBeUndefined();
        this.#open.set(channel, action.turnId);
        this.#released.add(channel);
        return;
      case 'chat/turnComplete':
      case 'chat/turnCancelled':
      case 'chat/error':
        if (this.#left.get(channel) === action.turnId) {
          expect(action, channel).toMatchObject({
            type: 'chat/error',
            part: { error: { errorType: 'hostRestarted' } },
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
