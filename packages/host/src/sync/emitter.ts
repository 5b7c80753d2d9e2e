import {
  type ActionEnvelope,
  type ChannelAction,
  type ChannelKind,
  fitTexts,
  reduceMirrored,
  type StateAction,
} from '@agenthost/protocol';
import type { Clock } from '../lib/clock.ts';
import type { Channel, ChannelMark } from './channel.ts';
import type { Sequencer } from './sequencer.ts';
import { EncodedEnvelope, type Sink } from './subscription.ts';
import { isTextAppend } from './text-append.ts';
import type { Output, Undo } from './tick.ts';
import type { ActionSink, Change, DispatchOrigin, RunningCause, Tx } from './tx.ts';

/** Sending an envelope to so many subscribers takes as long as making and journaling it. */
const SENDS_OF_WORK = 16;

/** Mirrors changes of one kind of channel elsewhere, in the same transaction. */
export type Observer<K extends ChannelKind> = (tx: Tx, change: Change<K>) => void;

type Observers = { [K in ChannelKind]: Observer<K>[] };

/** Reduces, numbers and journals actions, stamps them with a time, and calls observers. */
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
    /** Time stamp of the last envelope of the life before, in ms since the epoch. */
    lastTime: number;
    /** The root channel, once it is loaded. */
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

  /** Bytes that envelopes and counted work have made the host write and send until now; see `Sync.workBytes`. */
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

  /** A time stamp in ms since the epoch, never below its predecessor [ACT-6]; one per cause, see `Sync.stamp`. */
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
    const seq = this.#sequencer.next();
    channel.seq = seq;
    channel.usedAt = tx.beganAt;
    this.#emitted.seq = seq;
    const envelope = envelopeOf(channel.uri, action, origin, { seq, time });
    if (isTextAppend(action)) {
      channel.append(action, time);
      const json = origin === undefined ? channel.appends.encode(action, seq, time) : undefined;
      this.#commit(tx, channel, new EncodedEnvelope(envelope, json), origin);
      return;
    }
    const before = channel.state;
    const after = reduceMirrored(channel.kind, before, action, time);
    channel.state = after;
    this.#commit(tx, channel, new EncodedEnvelope(envelope), origin);
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

  toRoot(text: string): void {
    for (const { sink } of this.#root().subscriptions.values()) sink.frame(text, 'message');
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
 * An action whose texts are cut to their limits. Output of terminals and deltas of text have bounds of their own, and are the hot
 * path.
 */
export function withinLimits<A extends StateAction>(action: A): A {
  return isTextAppend(action) || action.type === 'terminal/data' ? action : fitTexts(action, action.type);
}

/** What the envelopes of one cause on one channel change in memory. */
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

/** An envelope on its way to all subscribers of its channel, and to whose dispatch it answers: one object, not closures. */
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
