import { type ChannelKind, type ChannelState, reduceMirrored } from '@agenthost/protocol';
import type { ChannelHostData } from './host-data.ts';
import type { Sink, Subscription } from './subscription.ts';
import { AppendEncoder, joinAppends, type TextAppend } from './text-append.ts';

/** What was appended to a channel's text and is not reduced yet. */
interface Appended {
  readonly action: TextAppend;
  readonly time: number;
}

/** State and number of a channel at some moment. */
export interface ChannelMark<K extends ChannelKind = ChannelKind> {
  readonly state: ChannelState[K];
  readonly appended: Appended | undefined;
  readonly seq: number;
}

/**
 * A channel in memory. `state` holds everything reduced so far, the open tick included; only the commit path and the
 * registry change it. `hostData` is what the host alone knows of it: durable, never sent.
 */
export class Channel<K extends ChannelKind = ChannelKind> {
  readonly uri: string;
  readonly kind: K;
  /** The session it belongs to; absent for root and sessions. */
  readonly session: string | undefined;
  hostData: ChannelHostData[K];
  /** Number of the last envelope that `state` reflects. */
  seq: number;
  /** Number that the journal's snapshot row reflects. */
  snapshotSeq: number;
  /** Changes when history is cut, so that a cursor or a window read before it can be told stale. */
  historyVersion = 0;
  /** False once disposed (or its creation rolled back): late callbacks look here first. */
  isAlive = true;
  /** Number of the cause in whose `undo` it is already. */
  changedIn = 0;
  /** When somebody last needed it, by `steadyNow`; what is idle and unwatched unloads. */
  usedAt: number;
  /** When a client or a part of the host last asked for it, by `steadyNow`; loads by `Registry.load` do not count. */
  openedAt = Number.NEGATIVE_INFINITY;
  /** About how much of its envelopes the snapshot row does not reflect, in UTF-16 code units. Kept for terminals alone. */
  behindLength = 0;
  /** Length as JSON of the newest completed turn that was in memory. Kept for chats alone; `undefined`: none was. */
  newestLength: number | undefined;
  /** Writes the envelopes of appended text. */
  readonly appends: AppendEncoder;
  /** By connection. */
  readonly subscriptions = new Map<Sink, Subscription>();
  #state: ChannelState[K];
  /** What was appended since and nobody has looked at. */
  #appended: Appended | undefined;
  #pins = 0;

  constructor(init: {
    uri: string;
    kind: K;
    session?: string | undefined;
    state: ChannelState[K];
    hostData: ChannelHostData[K];
    seq: number;
    usedAt: number;
  }) {
    this.uri = init.uri;
    this.appends = new AppendEncoder(init.uri);
    this.kind = init.kind;
    this.session = init.session;
    this.#state = init.state;
    this.hostData = init.hostData;
    this.seq = init.seq;
    this.snapshotSeq = init.seq;
    this.usedAt = init.usedAt;
  }

  get state(): ChannelState[K] {
    this.#reduceAppended();
    return this.#state;
  }

  set state(state: ChannelState[K]) {
    this.#appended = undefined;
    this.#state = state;
  }

  /** `state` but for the text appended last: free to read between two deltas, with every turn, part and id. */
  get outline(): ChannelState[K] {
    return this.#state;
  }

  /**
   * Reduces an append when somebody looks at `state`, together with those that follow it: on a turn of thousands of parts
   * each reduction copies them all, and nobody looks between two deltas of a tick.
   */
  append(action: TextAppend, time: number): void {
    const joined = this.#appended && joinAppends(this.#appended.action, action);
    if (joined === undefined) this.#reduceAppended();
    this.#appended = { action: joined ?? action, time };
  }

  /** Remembers state and number, for `returnTo`. Costs nothing, also between two deltas. */
  mark(): ChannelMark<K> {
    return { state: this.#state, appended: this.#appended, seq: this.seq };
  }

  /** Back to what was remembered. */
  returnTo({ state, appended, seq }: ChannelMark<K>): void {
    this.#state = state;
    this.#appended = appended;
    this.seq = seq;
  }

  /** Keeps it in memory until the returned function is called. */
  pin(): () => void {
    this.#pins += 1;
    let isPinned = true;
    return () => {
      if (isPinned) this.#pins -= 1;
      isPinned = false;
    };
  }

  /** How many keep it in memory. */
  get pinCount(): number {
    return this.#pins;
  }

  get isIdle(): boolean {
    return this.#pins === 0 && this.subscriptions.size === 0;
  }

  is<T extends ChannelKind>(kind: T): this is Channel<T> {
    const own: ChannelKind = this.kind;
    return own === kind;
  }

  #reduceAppended(): void {
    if (this.#appended === undefined) return;
    const { action, time } = this.#appended;
    this.#appended = undefined;
    this.#state = reduceMirrored(this.kind, this.#state, action, time);
  }
}
