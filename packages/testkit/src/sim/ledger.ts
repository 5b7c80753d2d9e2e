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
    if (before === undefined) {
      this.#seen.set(envelope.serverSeq, { json, envelope });
      this.#countNewChat(envelope);
    } else if (before.json !== json) this.#compareMerged(before.envelope, envelope);
  }

  #countNewChat({ action }: ActionEnvelope): void {
    if (action.type !== 'session/chatAdded') return;
    if (action.summary.origin?.kind === 'tool') this.#report.count('workerChats');
  }

  /** The public envelopes above a number, by theirs; private ones are not journaled [ACT-7]. */
  *publicAbove(seq: number): Iterable<ActionEnvelope> {
    for (const { envelope } of this.#seen.values()) {
      if (envelope.serverSeq > seq && !isPrivate(envelope)) yield envelope;
    }
  }

  /** Merged appends carry the last number of those that they stand for [SUB-4]: one text ends with the other. */
  #compareMerged(one: ActionEnvelope, other: ActionEnvelope): void {
    if (isMergeOf(one, other) || isMergeOf(other, one)) this.#report.count('mergedEnvelopes');
    else {
      this.faults.push(
        `number ${one.serverSeq} stands for two things: ${JSON.stringify(one)} and ${JSON.stringify(other)}`,
      );
    }
  }
}

/** Whether one envelope is the other, with the text of neighbours before it merged in. */
export function isMergeOf(merged: ActionEnvelope, last: ActionEnvelope): boolean {
  const [a, b] = [appended(merged), appended(last)];
  return (
    merged.channel === last.channel &&
    a !== undefined &&
    b !== undefined &&
    a.target === b.target &&
    a.text.endsWith(b.text)
  );
}

const isPrivate = ({ action, origin, rejectionReason }: ActionEnvelope): boolean =>
  rejectionReason !== undefined ||
  action.type === 'chat/turnsLoaded' ||
  action.type === 'terminal/input' ||
  (action.type === 'chat/truncated' && origin === undefined);

function appended({ action }: ActionEnvelope): { target: string; text: string } | undefined {
  switch (action.type) {
    case 'chat/delta':
    case 'chat/reasoning':
      return { target: `${action.type} ${action.turnId} ${action.partId}`, text: action.content };
    case 'chat/toolCallDelta':
      return { target: `${action.type} ${action.turnId} ${action.toolCallId}`, text: action.content };
    case 'terminal/data':
      return { target: action.type, text: action.data };
    default:
      return undefined;
  }
}
