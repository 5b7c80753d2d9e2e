import {
  type ActionEnvelope,
  type ChannelAction,
  type ChannelKind,
  fitTexts,
  reduceMirrored,
  type StateAction,
} from '@agenthost/protocol';
import { mostEnvelopes } from '@agenthost/protocol/dialects';
import type { Clock } from '../lib/clock.ts';
import type { Channel, ChannelMark } from './channel.ts';
import type { Sequencer } from './sequencer.ts';
import { EncodedEnvelope, type EncodedNotification, type Sink } from './subscription.ts';
import { isTextAppend } from './text-append.ts';
import type { Output, Undo } from './tick.ts';
import type { ActionSink, Change, DispatchOrigin, RunningCause, Tx } from './tx.ts';

/** Number of sends of an envelope that take as long as making and journaling it. */
const SENDS_OF_WORK = 16;

/** Called for changes of one kind of channel, in the same transaction, to mirror them elsewhere. */
export type Observer<K extends ChannelKind> = (tx: Tx, change: Change<K>) => void;

type Observers = { [K in ChannelKind]: Observer<K>[] };

/** Reduces, numbers, timestamps and journals actions, and calls observers. */
export class Emitter implements ActionSink {
  readonly #sequencer: Sequencer;
  readonly #clock: Clock;
  readonly #running: RunningCause;
  readonly #root: () => Channel<'root'>;
  readonly #observers: Observers = {
    root: [],
    session: [],
    chat: [],
    terminal: [],
    changeset: [],
    annotations: [],
    resourceWatch: [],
    automation: [],
    automationRun: [],
    canvas: [],
  };
  readonly #emitted: { seq: number };
  #lastTime: number;
  /** The cause for which `#lastTime` was read. */
  #stampedIn: number | undefined;
  #workBytes = 0;

  constructor(parts: {
    sequencer: Sequencer;
    clock: Clock;
    running: RunningCause;
    /** Timestamp of the last envelope of the previous run of the host, in ms since the epoch. */
    lastTime: number;
    /** The root channel. Call only after it was loaded. */
    root(): Channel<'root'>;
  }) {
    this.#sequencer = parts.sequencer;
    this.#clock = parts.clock;
    this.#running = parts.running;
    this.#lastTime = parts.lastTime;
    this.#emitted = { seq: parts.sequencer.last };
    this.#root = parts.root;
  }

  /** Number of the newest public envelope. */
  get emittedSeq(): number {
    return this.#emitted.seq;
  }

  /** Approximate bytes that the host has written and sent; see `Sync.workBytes`. */
  get workBytes(): number {
    return this.#workBytes;
  }

  /** Adds to `workBytes`. */
  countWork(bytes: number): void {
    this.#workBytes += bytes;
  }

  /** Registers an observer of one kind of channel; see `Sync.observe`. */
  observe<K extends ChannelKind>(kind: K, observer: Observer<K>): void {
    this.#observers[kind].push(observer);
  }

  /**
   * Timestamp in ms since the epoch, never below an earlier one [ACT-6]. One for each cause, see
   * `Sync.stamp`.
   */
  stamp(): number {
    const { tx, number } = this.#running;
    if (tx !== undefined && number === this.#stampedIn) return this.#lastTime;
    this.#stampedIn = tx === undefined ? undefined : number;
    this.#lastTime = Math.max(this.#lastTime, this.#clock.now());
    return this.#lastTime;
  }

  emit<K extends ChannelKind>(
    tx: Tx,
    channel: Channel<K>,
    given: ChannelAction[K],
    origin?: DispatchOrigin,
  ): void {
    if (!channel.isAlive) return;
    const action = origin === undefined ? withinLimits(given) : given;
    if (channel.changedIn !== tx.cause) {
      channel.changedIn = tx.cause;
      tx.undoTo(new Emission(channel, this.#emitted));
    }
    const time = this.stamp();
    // Older versions may get several envelopes; the ones before the last have these numbers [DIA-1].
    for (let spare = mostEnvelopes(action, channel); spare > 1; spare -= 1) this.#sequencer.next();
    const seq = this.#sequencer.next();
    channel.seq = seq;
    channel.usedAt = tx.beganAt;
    this.#emitted.seq = seq;
    const envelope = envelopeOf(channel.uri, action, origin, { seq, time });
    if (isTextAppend(action)) {
      channel.append(action);
      const json = origin === undefined ? channel.appends.encode(action, seq, time) : undefined;
      this.#commit(tx, channel, new EncodedEnvelope(envelope, json), origin);
      return;
    }
    const before = channel.state;
    const after = reduceMirrored(channel.kind, before, action);
    channel.state = after;
    this.#commit(tx, channel, new EncodedEnvelope(envelope, undefined, { before, after }), origin);
    const change: Change<K> = { channel, before, after, action, envelope, origin };
    for (const observer of this.#observers[channel.kind]) observer(tx, change);
  }

  emitUnloaded<K extends ChannelKind>(tx: Tx, uri: string, action: ChannelAction[K]): void {
    const { seq: before } = this.#emitted;
    tx.undo(() => {
      this.#emitted.seq = before;
    });
    const time = this.stamp();
    const seq = this.#sequencer.next();
    this.#emitted.seq = seq;
    const { json } = new EncodedEnvelope(envelopeOf(uri, action, undefined, { seq, time }));
    tx.write({ op: 'envelope', seq, channel: uri, time, json });
  }

  toRoot(notification: EncodedNotification): void {
    for (const { sink } of this.#root().subscriptions.values()) sink.notification(notification);
  }

  #commit(tx: Tx, channel: Channel, encoded: EncodedEnvelope, origin: DispatchOrigin | undefined): void {
    const { serverSeq: seq, 'x-time': time = 0 } = encoded.value;
    const { json } = encoded;
    this.#workBytes += json.length * (1 + channel.subscriptions.size / SENDS_OF_WORK);
    const row = { op: 'envelope', seq, channel: channel.uri, time, json } as const;
    if (origin?.epoch === undefined) tx.write(row);
    else {
      const { clientId, epoch, clientSeq } = origin;
      tx.write({ ...row, origin: { clientId, epoch, clientSeq } });
    }
    tx.publishOutput(new Publication(channel, encoded, origin));
  }
}

/**
 * An action whose texts are cut to their limits. Terminal output and text deltas are left out: they have
 * their own limits and are the hot path.
 */
export function withinLimits<A extends StateAction>(action: A): A {
  return isTextAppend(action) || action.type === 'terminal/data' ? action : fitTexts(action, action.type);
}

/** The changes in memory of one cause's envelopes on one channel. */
class Emission implements Undo {
  readonly subject: Channel;
  readonly #mark: ChannelMark;
  readonly #emitted: { seq: number };
  readonly #seq: number;

  constructor(channel: Channel, emitted: { seq: number }) {
    this.subject = channel;
    this.#mark = channel.mark();
    this.#emitted = emitted;
    this.#seq = emitted.seq;
  }

  restore(): void {
    this.subject.returnTo(this.#mark);
    this.#emitted.seq = this.#seq;
  }
}

/**
 * An envelope for all subscribers of its channel, and the client whose dispatch it answers. An object in
 * place of closures.
 */
class Publication implements Output {
  readonly dropped: (() => void) | undefined;
  readonly #channel: Channel;
  readonly #encoded: EncodedEnvelope;
  readonly #origin: Sink | undefined;

  constructor(channel: Channel, encoded: EncodedEnvelope, origin: DispatchOrigin | undefined) {
    this.#channel = channel;
    this.#encoded = encoded;
    this.#origin = origin?.sink;
    this.dropped = origin && (() => origin.dropped());
  }

  send(): void {
    const encoded = this.#encoded;
    const origin = this.#origin;
    let isEchoed = origin === undefined;
    for (const { sink, delivery } of this.#channel.subscriptions.values()) {
      sink.envelope(encoded, delivery);
      if (sink === origin) isEchoed = true;
    }
    if (!isEchoed) origin?.envelope(encoded, undefined);
  }
}

function envelopeOf(
  channel: string,
  action: StateAction,
  origin: DispatchOrigin | undefined,
  { seq, time }: { seq: number; time: number },
): ActionEnvelope {
  if (origin === undefined) return { channel, action, serverSeq: seq, 'x-time': time };
  const { clientId, clientSeq } = origin;
  return { channel, action, serverSeq: seq, origin: { clientId, clientSeq }, 'x-time': time };
}
