import type { ActionEnvelope } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import { expect } from 'vitest';

/** What journals held after each kill, and what clients were sent: one number stands for one thing [CONN-4]. */
export class Evidence {
  readonly #rows: ActionEnvelope[] = [];
  readonly #indexOf = new Map<number, number>();
  /** Seen by a client, to be found in the next journal. */
  readonly #later = new Map<number, ActionEnvelope>();
  readonly #open = new Set<string>();

  /** Number of the newest envelope that a journal was seen to hold. */
  get lastJournaled(): number {
    return this.#rows.at(-1)?.serverSeq ?? 0;
  }

  /** Adds what a journal holds above `lastJournaled`. */
  add(journal: readonly ActionEnvelope[]): void {
    for (const envelope of journal) {
      expect(envelope.serverSeq, 'numbers rise').toBeGreaterThan(this.lastJournaled);
      this.#indexOf.set(envelope.serverSeq, this.#rows.length);
      this.#rows.push(envelope);
      const { action } = envelope;
      if (action.type === 'chat/turnStarted') this.#open.add(action.turnId);
      if (
        action.type === 'chat/turnComplete' ||
        action.type === 'chat/turnCancelled' ||
        action.type === 'chat/error'
      )
        this.#open.delete(action.turnId);
    }
    for (const envelope of this.#later.values()) this.expectJournaled(envelope);
    this.#later.clear();
  }

  /** True when the journal as read last has this turn begun and not ended. */
  isOpen(turnId: string): boolean {
    return this.#open.has(turnId);
  }

  /** Fails unless the journal holds an envelope as it was sent, or those that were merged into it. */
  expectJournaled(sent: ActionEnvelope): 'same' | 'merged' {
    const index = this.#indexOf.get(sent.serverSeq) ?? -1;
    const row = this.#rows[index];
    if (row === undefined) throw new Error(`sent and not journaled: ${JSON.stringify(sent)}`);
    if (sameJson(row, sent)) return 'same';
    expect(sent, `number ${sent.serverSeq}`).toEqual(this.#mergedUpTo(index, textOf(sent).length));
    return 'merged';
  }

  /** The same, of the next journal, for what is sent after this one was read. */
  expectLater(sent: ActionEnvelope): void {
    if (!this.#indexOf.has(sent.serverSeq)) this.#later.set(sent.serverSeq, sent);
  }

  /** Fails when one of these numbers stands in a journal. */
  expectUnused(numbers: Iterable<number>): void {
    for (const number of numbers)
      expect(this.#indexOf.has(number), `number ${number} is private`).toBe(false);
  }

  /** The row at `index` with the text of its neighbours on that channel before it, so many characters in all. */
  #mergedUpTo(index: number, length: number): ActionEnvelope | undefined {
    const last = this.#rows[index];
    if (last === undefined || !('content' in last.action)) return last;
    let content = '';
    for (let at = index; at >= 0 && content.length < length; at -= 1) {
      const row = this.#rows[at];
      if (row?.channel === last.channel) content = textOf(row) + content;
    }
    return JSON.parse(JSON.stringify({ ...last, action: { ...last.action, content } }));
  }
}

const textOf = ({ action }: ActionEnvelope): string =>
  'content' in action && typeof action.content === 'string' ? action.content : '';
