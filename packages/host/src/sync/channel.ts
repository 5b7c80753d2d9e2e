import { type ChannelKind, type ChannelState, reduceMirrored } from '@agenthost/protocol';
import type { ChannelHostData } from './host-data.ts';
import type { Sink, Subscription } from './subscription.ts';
import { AppendEncoder, joinAppends, type TextAppend } from './text-append.ts';

/** State and number of a channel at a point in time. */
export interface ChannelMark<K extends ChannelKind = ChannelKind> {
  readonly state: ChannelState[K];
  readonly appended: TextAppend | undefined;
  readonly seq: number;
}

/**
 * A channel in memory. `state` contains all reduced actions, including those of the open tick; only the
 * commit path and the registry change it. `hostData` is durable and never sent to clients.
 */
export class Channel<K extends ChannelKind = ChannelKind> {
  readonly uri: string;
  readonly kind: K;
  /** The session of the channel. Absent for root and sessions. Only the registry changes it, when a chat is moved. */
  session: string | undefined;
  hostData: ChannelHostData[K];
  /** Number of the last envelope that `state` reflects. */
  seq: number;
  /** Number that the journal's snapshot row reflects. */
  snapshotSeq: number;
  /** Incremented when history is cut, to recognize stale cursors and windows. */
  historyVersion = 0;
  /** False after disposal or after the creation was rolled back. Late callbacks check it first. */
  isAlive = true;
  /** Number of the last cause that recorded an undo for this channel. */
  changedIn = 0;
  /** Time of the last use, by `steadyNow`. Idle channels without subscribers are unloaded. */
  usedAt: number;
  /**
   * Time of the last request by a client or a part of the host, by `steadyNow`. Loads by `Registry.load` do
   * not count.
   */
  openedAt = Number.NEGATIVE_INFINITY;
  /**
   * Approximate length of envelopes that the snapshot row does not reflect, in UTF-16 code units. Only for
   * terminals.
   */
  behindLength = 0;
  /**
   * JSON length of the newest completed turn that was in memory. Only for chats; `undefined` if there was
   * none.
   */
  newestLength: number | undefined;
  /** Encodes the envelopes of appended text. */
  readonly appends: AppendEncoder;
  /** By connection. */
  readonly subscriptions = new Map<Sink, Subscription>();
  #state: ChannelState[K];
  /** Text that was appended since `state` was last read. */
  #appended: TextAppend | undefined;
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

  /**
   * `state` without the text appended last. Contains every turn, part and id. Cheap to read between two
   * deltas.
   */
  get outline(): ChannelState[K] {
    return this.#state;
  }

  /**
   * Records an append. It is reduced, together with later appends, when `state` is read. Each reduction
   * copies all parts of a turn, and usually nothing reads `state` between the deltas of a tick.
   */
  append(action: TextAppend): void {
    const joined = this.#appended && joinAppends(this.#appended, action);
    if (joined === undefined) this.#reduceAppended();
    this.#appended = joined ?? action;
  }

  /** Records state and number for `returnTo`. Cheap, also between two deltas. */
  mark(): ChannelMark<K> {
    return { state: this.#state, appended: this.#appended, seq: this.seq };
  }

  /** Restores a recorded state and number. */
  returnTo({ state, appended, seq }: ChannelMark<K>): void {
    this.#state = state;
    this.#appended = appended;
    this.seq = seq;
  }

  /** Keeps the channel in memory until the returned function is called. */
  pin(): () => void {
    this.#pins += 1;
    let isPinned = true;
    return () => {
      if (isPinned) this.#pins -= 1;
      isPinned = false;
    };
  }

  /** Number of pins that keep the channel in memory. */
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
    const action = this.#appended;
    this.#appended = undefined;
    this.#state = reduceMirrored(this.kind, this.#state, action);
  }
}
