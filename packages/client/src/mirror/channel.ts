import {
  type ActionEnvelope,
  type ChannelKind,
  type ChannelState,
  reduceMirrored,
  type Snapshot,
  type URI,
} from '@agenthost/protocol';
import { Listeners, type ReportError } from '../listeners.ts';
import { stateOfKind } from './channel-kind.ts';
import type { PendingAction } from './pending-actions.ts';
import { trimScrollback } from './scrollback.ts';

/** Options of a subscription: how many turns of a chat, and how long output may be merged [SUB-3] [SUB-4]. */
export interface SubscriptionOptions {
  /** Completed turns in the snapshot of a chat. Absent: all retained turns. */
  turns?: number | undefined;
  /** Milliseconds that the host may hold appends back to merge them. Absent: no added delay. */
  maxLatencyMs?: number | undefined;
}

/**
 * One subscribed channel, shared by all its mirrors: the confirmed state, and on top of it this client's
 * unanswered actions [REC-1].
 */
export class Channel<K extends ChannelKind> {
  readonly kind: K;
  readonly uri: URI;
  /** Called when `state` or `confirmed` became another object, and when the channel is lost. */
  readonly onChange: Listeners<ChannelState[K]>;
  /** Called for every envelope applied to `confirmed`, in order, once `state` reflects it. */
  readonly onAction: Listeners<ActionEnvelope>;
  /** Called after a later snapshot replaced `confirmed`, before `onChange`. */
  readonly onSnapshot: Listeners<undefined>;
  #confirmed: ChannelState[K];
  #state: ChannelState[K];
  #reflectedSeq: number;
  #isLost = false;
  #isTrimmed = false;
  #wasReset = false;
  #hasChanged = false;
  #applied: ActionEnvelope[] = [];

  constructor(kind: K, snapshot: Snapshot, report: ReportError) {
    this.kind = kind;
    this.uri = snapshot.resource;
    this.#confirmed = stateOfKind(kind, snapshot);
    this.#state = this.#confirmed;
    this.#reflectedSeq = snapshot.fromSeq;
    this.onChange = new Listeners(report, `change of ${this.uri}`);
    this.onAction = new Listeners(report, `action of ${this.uri}`);
    this.onSnapshot = new Listeners(report, `snapshot of ${this.uri}`);
  }

  /** The state to show: `confirmed` with the pending actions applied to it. */
  get state(): ChannelState[K] {
    return this.#state;
  }

  /** The state that the host confirmed. */
  get confirmed(): ChannelState[K] {
    return this.#confirmed;
  }

  /** `serverSeq` of the last envelope that `confirmed` reflects. */
  get reflectedSeq(): number {
    return this.#reflectedSeq;
  }

  /** True when old output of a terminal was trimmed here since its last snapshot; a new snapshot has more. */
  get isTrimmed(): boolean {
    return this.#isTrimmed;
  }

  /** True once the channel is gone. Its states stay as they were. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Replaces the state by a snapshot. Call `rebase` and `flush` afterwards. */
  reset(snapshot: Snapshot): void {
    this.#confirmed = stateOfKind(this.kind, snapshot);
    this.#reflectedSeq = snapshot.fromSeq;
    this.#hasChanged = true;
    this.#wasReset = true;
    this.#isTrimmed = false;
  }

  /**
   * Applies an envelope to `confirmed`, unless it is already reflected [REC-1]. Call `rebase` and `flush` afterwards.
   */
  apply(envelope: ActionEnvelope): void {
    if (envelope.serverSeq <= this.#reflectedSeq) return;
    const reduced = reduceMirrored(this.kind, this.#confirmed, envelope.action);
    const next = envelope.action.type === 'terminal/data' ? trimScrollback(reduced) : reduced;
    if (next !== reduced) this.#isTrimmed = true;
    this.#reflectedSeq = envelope.serverSeq;
    if (next !== this.#confirmed) {
      this.#confirmed = next;
      this.#hasChanged = true;
    }
    this.#applied.push(envelope);
  }

  /**
   * Applies `pending` on top of `confirmed`. When a reducer throws, the error is thrown and the state stays.
   */
  rebase(pending: readonly PendingAction[]): void {
    let state = this.#confirmed;
    for (const { action } of pending) {
      state = reduceMirrored(this.kind, state, action);
    }
    if (state === this.#state) return;
    this.#state = state;
    this.#hasChanged = true;
  }

  /** Calls the listeners once for everything that happened since the last call. */
  flush(): void {
    const applied = this.#applied;
    this.#applied = [];
    const wasReset = this.#wasReset;
    this.#wasReset = false;
    if (wasReset) this.onSnapshot.emit(undefined);
    for (const envelope of applied) this.onAction.emit(envelope);
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    this.onChange.emit(this.#state);
  }

  /** Ends the channel and calls the listeners. */
  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#hasChanged = true;
    this.flush();
  }
}
