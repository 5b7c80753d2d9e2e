import {
  type ActionEnvelope,
  type RefusalDetails,
  readRefusal,
  type StateAction,
  type URI,
} from '@agenthost/protocol';
import { defined, sameJson } from '@agenthost/protocol/values';

/** The outcome of a dispatched action. */
export type DispatchOutcome =
  /** The host accepted it. `envelope` is what all subscribers received. */
  | { readonly outcome: 'accepted'; readonly envelope: ActionEnvelope }
  /** The host rejected it. `code` and `reason` are the two parts of its `rejectionReason` [ACT-3]. */
  | {
      readonly outcome: 'rejected';
      readonly code: string;
      readonly reason: string;
      /** The reason as data; absent where the host gives none. */
      readonly details?: RefusalDetails;
    }
  /** The host gave no answer, because the channel does not exist [ACT-4]. */
  | { readonly outcome: 'ignored' }
  /** The client gave up. Whether the host processed the action is unknown. */
  | { readonly outcome: 'dropped'; readonly reason: string };

/** A dispatched action without an outcome. */
export interface PendingAction {
  readonly channel: URI;
  readonly clientSeq: number;
  readonly action: StateAction;
  /** Number of the connection that it was last sent on; 0 before it was sent. */
  sentOn: number;
  resolve(outcome: DispatchOutcome): void;
}

/** Largest number of actions without an outcome. Beyond it a dispatch is `dropped` at once. */
export const MAX_PENDING_ACTIONS = 10_000;

/**
 * Actions with side effects only. Their effect shows as other actions or not at all, so nothing can be
 * predicted [REC-2].
 */
const NEVER_PREDICTED: ReadonlySet<string> = new Set(['terminal/input']);

/** Whether a mirror shows the action before the host has answered. */
export function isPredicted({ type }: StateAction): boolean {
  return !NEVER_PREDICTED.has(type);
}

/** All actions of a client without an outcome, over all channels, in the order dispatched [REC-1]. */
export class PendingActions {
  readonly #bySeq = new Map<number, PendingAction>();

  get size(): number {
    return this.#bySeq.size;
  }

  add(entry: PendingAction): void {
    this.#bySeq.set(entry.clientSeq, entry);
  }

  /** In the order dispatched, including actions added during the iteration. */
  values(): IterableIterator<PendingAction> {
    return this.#bySeq.values();
  }

  /** In the order dispatched. */
  all(): PendingAction[] {
    return Array.from(this.#bySeq.values());
  }

  /** The actions that a channel's mirror shows, in order. */
  predictedOn(channel: URI): PendingAction[] {
    if (this.#bySeq.size === 0) return [];
    return this.all().filter((entry) => entry.channel === channel && isPredicted(entry.action));
  }

  /** Removes the action that an envelope answers and resolves its promise. */
  settleByEcho(envelope: ActionEnvelope, isReplay: boolean): PendingAction | undefined {
    const entry = this.#bySeq.get(envelope.origin?.clientSeq ?? 0);
    if (entry === undefined || !isAnswer(entry, envelope, isReplay)) return undefined;
    this.#bySeq.delete(entry.clientSeq);
    entry.resolve(
      envelope.rejectionReason === undefined
        ? { outcome: 'accepted', envelope }
        : {
            outcome: 'rejected',
            ...splitReason(envelope.rejectionReason),
            ...defined({ details: readRefusal(envelope['x-refusal']) }),
          },
    );
    return entry;
  }

  /**
   * Removes the actions selected by `test` and gives all of them one outcome. Returns the channels affected.
   */
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
 * Another client object with this client id could have used the same number, so an action that was never sent
 * has no answer. In a replay an action that is not quite equal waits for the answer to its resend: a host may
 * have cut it to size, or have received it from another client object.
 */
function isAnswer(entry: PendingAction, { channel, action }: ActionEnvelope, isReplay: boolean): boolean {
  if (entry.sentOn === 0 || entry.channel !== channel || entry.action.type !== action.type) return false;
  return !isReplay || sameJson(entry.action, action);
}

function splitReason(text: string): { code: string; reason: string } {
  const [, code = 'rejected', reason = text] = /^([^\s:]+): (.*)$/s.exec(text) ?? [];
  return { code, reason };
}
