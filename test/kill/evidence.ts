import type { ActionEnvelope } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';
import { expect } from 'vitest';

/** Compares journals after each kill with the envelopes that clients received: one number stands for one envelope [CONN-4]. */
export class Evidence {
  readonly #rows: ActionEnvelope[] = [];
  readonly #indexOf = new Map<number, number>();
  /** Received by a client and expected in the next journal. */
  readonly #later = new Map<number, ActionEnvelope>();
  readonly #open = new Set<string>();

  /** Number of the newest envelope in the journals so far. */
  get lastJournaled(): number {
    return this.#rows.at(-1)?.serverSeq ?? 0;
  }

  /** Adds the rows of a journal above `lastJournaled`. */
  add(journal: readonly ActionEnvelope[]): void {
    for (const envelope of journal) {
      expect(envelope.serverSeq, 'numbers rise').toBeGreaterThan(this.lastJournaled);
      this.#indexOf.set(envelope.serverSeq, this.#rows.length);
      this.#rows.push(envelope);
      const { action } = envelope;
      if (action.type === 'chat/turnStarted' || action.type === 'chat/turnResume')
        this.#open.add(action.turnId);
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

  /** True when this turn has begun and not ended in the last journal. */
  isOpen(turnId: string): boolean {
    return this.#open.has(turnId);
  }

  /** Fails unless the journal has the envelope as sent, or the envelopes that were merged into it. */
  expectJournaled(sent: ActionEnvelope): 'same' | 'merged' {
    const index = this.#indexOf.get(sent.serverSeq) ?? -1;
    const row = this.#rows[index];
    if (row === undefined) throw new Error(`sent and not journaled: ${JSON.stringify(sent)}`);
    if (sameJson(row, sent)) return 'same';
    expect(sent, `number ${sent.serverSeq}`).toEqual(this.#mergedUpTo(index, textOf(sent).length));
    return 'merged';
  }

  /** Expects an envelope in the next journal, when it was sent after the last read. */
  expectLater(sent: ActionEnvelope): void {
    if (!this.#indexOf.has(sent.serverSeq)) this.#later.set(sent.serverSeq, sent);
  }

  /** Fails when a journal contains one of these numbers. */
  expectUnused(numbers: Iterable<number>): void {
    for (const number of numbers)
      expect(this.#indexOf.has(number), `number ${number} is private`).toBe(false);
  }

  /** The row at `index` with the text of earlier rows of its channel in front, `length` characters in all. */
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
