import { type ActionEnvelope, type StateAction, type URI } from '@agenthost/protocol';
import { sameJson } from '@agenthost/protocol/values';

/** What became of a dispatched action. */
export type DispatchOutcome =
  /** The host took it; `envelope` is what everyone got. */
  | { readonly outcome: 'accepted'; readonly envelope: ActionEnvelope }
  /** The host refused it; `code` and `reason` are the two halves of its `rejectionReason` [ACT-3]. */
  | { readonly outcome: 'rejected'; readonly code: string; readonly reason: string }
  /** The host said nothing: its channel does not exist [ACT-4]. */
  | { readonly outcome: 'ignored' }
  /** It was given up here; whether the host saw it is unknown. */
  | { readonly outcome: 'dropped'; readonly reason: string };

/** An action that was dispatched and has no outcome yet. */
export interface PendingAction {
  readonly channel: URI;
  readonly clientSeq: number;
  readonly action: StateAction;
  /** `now` of its prediction, fixed so that replaying it gives the same result each time. */
  readonly predictedAt: number;
  /** Ordinal of the connection that it was last sent on; 0 while it waits for the first. */
  sentOn: number;
  resolve(outcome: DispatchOutcome): void;
}

/** Actions that may wait for an outcome at once. At the limit a dispatch is `dropped` at once. */
export const MAX_PENDING_ACTIONS = 10_000;

/**
 * Side-effect-only actions: their effect shows as other actions, or nowhere, so there is nothing to predict [REC-2].
 */
const NEVER_PREDICTED: ReadonlySet<string> = new Set(['terminal/input']);

/** True when an action shows in the mirror before the host has answered. */
export function isPredicted({ type }: StateAction): boolean {
  return !NEVER_PREDICTED.has(type);
}

/** All actions of a client without an outcome, in the order dispatched, over all channels [REC-1]. */
export class PendingActions {
  readonly #bySeq = new Map<number, PendingAction>();

  get size(): number {
    return this.#bySeq.size;
  }

  add(entry: PendingAction): void {
    this.#bySeq.set(entry.clientSeq, entry);
  }

  /** In the order dispatched, those added while iterating included. */
  values(): IterableIterator<PendingAction> {
    return this.#bySeq.values();
  }

  /** In the order dispatched. */
  all(): PendingAction[] {
    return Array.from(this.#bySeq.values());
  }

  /** Those that a channel's mirror shows, in order. */
  predictedOn(channel: URI): PendingAction[] {
    if (this.#bySeq.size === 0) return [];
    return this.all().filter((entry) => entry.channel === channel && isPredicted(entry.action));
  }

  /** Removes the action that an envelope answers, and tells its dispatcher. */
  settleByEcho(envelope: ActionEnvelope, isReplay: boolean): PendingAction | undefined {
    const entry = this.#bySeq.get(envelope.origin?.clientSeq ?? 0);
    if (entry === undefined || !isAnswer(entry, envelope, isReplay)) return undefined;
    this.#bySeq.delete(entry.clientSeq);
    entry.resolve(
      envelope.rejectionReason === undefined
        ? { outcome: 'accepted', envelope }
        : { outcome: 'rejected', ...splitReason(envelope.rejectionReason) },
    );
    return entry;
  }

  /** Removes what `test` selects, with one outcome for all; returns the channels that this touched. */
  settleWhere(test: (entry: PendingAction) => boolean, outcome: DispatchOutcome): Set<URI> {
    const channels = new Set<URI>();
    for (const entry of this.all()) {
      if (!test(entry)) continue;
      this.#bySeq.delete(entry.clientSeq);
      channels.add(entry.channel);
      entry.resolve(outcome);
    }
    return channels;
  }
}

/**
 * A number of another life of this client id could meet one of ours: what was never sent has no answer. In a replay what is not quite the
 * same waits for the answer to its resend: a host may have cut an action to size, or have had it of another life.
 */
function isAnswer(entry: PendingAction, { channel, action }: ActionEnvelope, isReplay: boolean): boolean {
  if (entry.sentOn === 0 || entry.channel !== channel || entry.action.type !== action.type) return false;
  return !isReplay || sameJson(entry.action, action);
}

function splitReason(text: string): { code: string; reason: string } {
  const [, code = 'rejected', reason = text] = /^([^\s:]+): (.*)$/s.exec(text) ?? [];
  return { code, reason };
}
