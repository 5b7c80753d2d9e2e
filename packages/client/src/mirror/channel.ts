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

/** What a subscription asks for: how much of a chat, and how late merged output may come [SUB-3] [SUB-4]. */
export interface SubscriptionOptions {
  /** Completed turns that the snapshot of a chat carries. Absent: all retained ones. */
  turns?: number | undefined;
  /** Milliseconds that the host may hold appends back to merge them. Absent: no intentional delay. */
  maxLatencyMs?: number | undefined;
}

/**
 * One subscribed channel, shared by all mirrors of it: the state that the host confirmed, and on top of it what this
 * client dispatched and has no answer to [REC-1].
 */
export class Channel<K extends ChannelKind> {
  readonly kind: K;
  readonly uri: URI;
  /** Called when `state` or `confirmed` became another object, and when the channel is lost. */
  readonly onChange: Listeners<ChannelState[K]>;
  /** Called for every envelope that was applied to `confirmed`, in order, when `state` reflects it. */
  readonly onAction: Listeners<ActionEnvelope>;
  /** Called after a snapshot has replaced `confirmed`, before `onChange`; not for the one that the channel begins with. */
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

  /** What to show: `confirmed` with the pending actions replayed on it. */
  get state(): ChannelState[K] {
    return this.#state;
  }

  /** What the host said. */
  get confirmed(): ChannelState[K] {
    return this.#confirmed;
  }

  /** Number of the last envelope that `confirmed` reflects. */
  get reflectedSeq(): number {
    return this.#reflectedSeq;
  }

  /** True when old output was left out of a terminal since its last snapshot, so that a new one shows more. */
  get isTrimmed(): boolean {
    return this.#isTrimmed;
  }

  /** True once the channel is gone; its states stay as they were. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Starts again from a snapshot. Call `rebase` and `flush` after. */
  reset(snapshot: Snapshot): void {
    this.#confirmed = stateOfKind(this.kind, snapshot);
    this.#reflectedSeq = snapshot.fromSeq;
    this.#hasChanged = true;
    this.#wasReset = true;
    this.#isTrimmed = false;
  }

  /**
   * Applies an envelope to `confirmed`, unless that reflects it already [REC-1]. `now` of the reducer is the host's
   * `x-time`, and the local clock only for hosts that send none [ACT-6]. Call `rebase` and `flush` after.
   */
  apply(envelope: ActionEnvelope, localNow: number): void {
    if (envelope.serverSeq <= this.#reflectedSeq) return;
    const now = envelope['x-time'] ?? localNow;
    const reduced = reduceMirrored(this.kind, this.#confirmed, envelope.action, now);
    const next = envelope.action.type === 'terminal/data' ? trimScrollback(reduced) : reduced;
    if (next !== reduced) this.#isTrimmed = true;
    this.#reflectedSeq = envelope.serverSeq;
    if (next !== this.#confirmed) {
      this.#confirmed = next;
      this.#hasChanged = true;
    }
    this.#applied.push(envelope);
  }

  /** Replays `pending` on `confirmed`. Throws what a reducer throws, state unchanged. */
  rebase(pending: readonly PendingAction[]): void {
    let state = this.#confirmed;
    for (const { action, predictedAt } of pending) {
      state = reduceMirrored(this.kind, state, action, predictedAt);
    }
    if (state === this.#state) return;
    this.#state = state;
    this.#hasChanged = true;
  }

  /** Tells listeners, once for all that happened since the last time. */
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

  /** Ends the channel; listeners are told. */
  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#hasChanged = true;
    this.flush();
  }
}
