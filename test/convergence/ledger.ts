import type { ActionEnvelope } from '@agenthost/protocol';
import type { Report } from './report.ts';

/**
 * Every envelope that any client was ever sent, by number: one number stands for one thing, whoever gets it and over
 * restarts too [CONN-4].
 */
export class Ledger {
  readonly #report: Report;
  readonly #seen = new Map<number, { readonly json: string; readonly envelope: ActionEnvelope }>();
  readonly faults: string[] = [];

  constructor(report: Report) {
    this.#report = report;
  }

  note(envelope: ActionEnvelope): void {
    this.#report.count('envelopes');
    const json = JSON.stringify(envelope);
    const before = this.#seen.get(envelope.serverSeq);
    if (before === undefined) this.#seen.set(envelope.serverSeq, { json, envelope });
    else if (before.json !== json) this.#compareMerged(before.envelope, envelope);
  }

  /** Merged appends carry the last number of those that they stand for [SUB-4]: one text ends with the other. */
  #compareMerged(one: ActionEnvelope, other: ActionEnvelope): void {
    const [a, b] = [appended(one), appended(other)];
    const isMerge =
      one.channel === other.channel &&
      a !== undefined &&
      b !== undefined &&
      a.target === b.target &&
      (a.text.endsWith(b.text) || b.text.endsWith(a.text));
    if (isMerge) this.#report.count('mergedEnvelopes');
    else {
      this.faults.push(
        `number ${one.serverSeq} stands for two things: ${JSON.stringify(one)} and ${JSON.stringify(other)}`,
      );
    }
  }
}

function appended({ action }: ActionEnvelope): { target: string; text: string } | undefined {
  switch (action.type) {
    case 'chat/delta':
    case 'chat/reasoning':
      return { target: `${action.type} ${action.turnId} ${action.partId}`, text: action.content };
    case 'chat/toolCallDelta':
      return { target: `${action.type} ${action.turnId} ${action.toolCallId}`, text: action.content };
    default:
      return undefined;
  }
}
