import {
  type ActionEnvelope,
  type ActionOrigin,
  type ChannelAction,
  type ChannelKind,
  type ChannelState,
  fitTexts,
  type HostToClientNotifications,
  ROOT_URI,
  reduceMirrored,
  type StateAction,
} from '@agenthost/protocol';
import type { Journal, JournalStart } from '../journal/journal.ts';
import type { Clock, Timers } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Channel, ChannelMark } from './channel.ts';
import { CommitPath } from './commit-path.ts';
import { Registry } from './registry.ts';
import { Sequencer } from './sequencer.ts';
import { EncodedEnvelope, type Sink } from './subscription.ts';
import { isTextAppend } from './text-append.ts';
import type { Output, Undo } from './tick.ts';

/** Whose dispatch an envelope answers. */
export interface DispatchOrigin extends ActionOrigin {
  /** Absent for foreign clients [ACT-5]. */
  readonly epoch: string | undefined;
  readonly sink: Sink;
  /** Called instead of publishing when the commit failed. */
  dropped(): void;
}

/** One reduced action, for those who mirror it elsewhere in the same tick. */
export interface Change<K extends ChannelKind> {
  readonly channel: Channel<K>;
  readonly before: ChannelState[K];
  readonly after: ChannelState[K];
  readonly action: ChannelAction[K];
  readonly envelope: ActionEnvelope;
  readonly origin: DispatchOrigin | undefined;
}

/** To send an envelope to so many subscribers takes as long as to make and journal it. */
const SENDS_OF_WORK = 16;

type RootNotification = 'root/sessionAdded' | 'root/sessionRemoved' | 'root/sessionSummaryChanged';

type Observers = { [K in ChannelKind]: ((change: Change<K>) => void)[] };

/**
 * The shared state of the host: channels, their numbers, who watches them. Everything that changes goes through `emit`,
 * inside `path.transact`.
 */
export class Sync {
  readonly path: CommitPath;
  readonly registry: Registry;
  readonly sequencer: Sequencer;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly #observers: Observers = {
    root: [],
    session: [],
    chat: [],
    terminal: [],
    changeset: [],
    annotations: [],
    resourceWatch: [],
  };
  #lastTime: number;
  /** The cause that `#lastTime` was taken in. */
  #stampedIn: number | undefined;
  readonly #emitted: { seq: number };
  #workBytes = 0;

  constructor(parts: { journal: Journal; start: JournalStart; clock: Clock; timers: Timers; log: Log }) {
    this.journal = parts.journal;
    this.clock = parts.clock;
    this.sequencer = new Sequencer(parts.journal, parts.start.reservedSeq);
    this.path = new CommitPath({ ...parts, sequencer: this.sequencer });
    this.registry = new Registry({
      journal: parts.journal,
      path: this.path,
      clock: parts.clock,
      log: parts.log,
    });
    this.#lastTime = parts.start.lastTime;
    this.#emitted = { seq: parts.start.reservedSeq };
  }

  /** Number of the newest public envelope: what states reflect, and so what a snapshot taken at a boundary does. */
  get emittedSeq(): number {
    return this.#emitted.seq;
  }

  /** An action made the host read, write or send so many bytes besides its envelopes. */
  countWork(bytes: number): void {
    this.#workBytes += bytes;
  }

  /**
   * About how many bytes envelopes have made the host write and send until now. Sending to one subscriber costs a sixteenth of making and journaling
   * an envelope.
   */
  get workBytes(): number {
    return this.#workBytes;
  }

  /**
   * A number for the snapshots of one answer, above all that they reflect and of nobody else's: a client that names it, or a higher one,
   * has had that answer [CONN-5]. Call it at a boundary. The newest public one where none can be reserved.
   */
  nextBoundarySeq(): number {
    return this.sequencer.covers(this.sequencer.following) ? this.sequencer.next() : this.emittedSeq;
  }

  /**
   * Registers who mirrors the changes of one kind of channel. Runs inside the same cause; appended text is not told, since
   * nothing mirrors it.
   */
  observe<K extends ChannelKind>(kind: K, observer: (change: Change<K>) => void): void {
    this.#observers[kind].push(observer);
  }

  /**
   * A time stamp that is never below its predecessor [ACT-6]; ms since the epoch. One cause has one: what brings a window to where everybody
   * else's gets by the envelope behind it must not leave another `modifiedAt` there [CHAT-6].
   */
  stamp(): number {
    const cause = this.path.presentCause;
    if (cause !== undefined && cause === this.#stampedIn) return this.#lastTime;
    this.#stampedIn = cause;
    this.#lastTime = Math.max(this.#lastTime, this.clock.now());
    return this.#lastTime;
  }

  /**
   * Reduces, numbers and journals one action; texts of the host's own, which may be an agent's, are cut to their limits. Inside
   * `path.transact` only.
   */
  emit<K extends ChannelKind>(channel: Channel<K>, given: ChannelAction[K], origin?: DispatchOrigin): void {
    if (!channel.isAlive) return;
    const action = origin === undefined ? withinLimits(given) : given;
    if (channel.changedIn !== this.path.cause) {
      channel.changedIn = this.path.cause;
      this.path.undoTo(new Emission(channel, this.#emitted));
    }
    const time = this.stamp();
    const seq = this.sequencer.next();
    channel.seq = seq;
    channel.usedAt = this.path.tickTime;
    this.#emitted.seq = seq;
    const envelope = envelopeOf(channel.uri, action, origin, { seq, time });
    if (isTextAppend(action)) {
      channel.append(action, time);
      const json = origin === undefined ? channel.appends.encode(action, seq, time) : undefined;
      this.#commit(channel, new EncodedEnvelope(envelope, json), origin);
      return;
    }
    const before = channel.state;
    const after = reduceMirrored(channel.kind, before, action, time);
    channel.state = after;
    this.#commit(channel, new EncodedEnvelope(envelope), origin);
    const change: Change<K> = { channel, before, after, action, envelope, origin };
    for (const observer of this.#observers[channel.kind]) observer(change);
  }

  /**
   * Numbers and journals one action of a channel that is not in memory and is not being loaded: the next load reduces it. No
   * observer is told. Inside `path.transact` only.
   */
  emitUnloaded<K extends ChannelKind>(uri: string, action: ChannelAction[K]): void {
    const { seq: before } = this.#emitted;
    this.path.undo(() => {
      this.#emitted.seq = before;
    });
    const time = this.stamp();
    const seq = this.sequencer.next();
    this.#emitted.seq = seq;
    const { json } = new EncodedEnvelope(envelopeOf(uri, action, undefined, { seq, time }));
    this.path.write({ op: 'envelope', seq, channel: uri, time, json });
  }

  #commit(channel: Channel, encoded: EncodedEnvelope, origin: DispatchOrigin | undefined): void {
    const { serverSeq: seq, 'x-time': time = 0 } = encoded.value;
    const { json } = encoded;
    this.#workBytes += json.length * (1 + channel.subscriptions.size / SENDS_OF_WORK);
    const row = { op: 'envelope', seq, channel: channel.uri, time, json } as const;
    if (origin?.epoch === undefined) this.path.write(row);
    else {
      const { clientId, epoch, clientSeq } = origin;
      this.path.write({ ...row, origin: { clientId, epoch, clientSeq } });
    }
    this.path.publishOutput(new Publication(channel, encoded, origin));
  }

  /** Replaces what the host alone knows of a channel, durably. Inside `path.transact` only. */
  setLocal<K extends ChannelKind>(channel: Channel<K>, local: Channel<K>['local']): void {
    if (!channel.isAlive) return;
    const before = channel.local;
    channel.local = local;
    this.path.undo(() => {
      channel.local = before;
    });
    this.path.write({ op: 'local', uri: channel.uri, local: JSON.stringify(local) });
  }

  /** Replaces a channel's window without an action (what it shows is unchanged). Inside `path.transact` only. */
  setWindow<K extends ChannelKind>(channel: Channel<K>, state: ChannelState[K]): void {
    const before = channel.state;
    channel.state = state;
    this.path.undo(() => {
      channel.state = before;
    });
  }

  /**
   * Sends one envelope to one client alone: numbered, not journaled [ACT-7]. `dropped` runs instead when the commit that
   * it waits for fails.
   */
  sendPrivate(
    sink: Sink,
    envelope: Omit<ActionEnvelope, 'serverSeq' | 'x-time'>,
    dropped?: () => void,
  ): void {
    const encoded = new EncodedEnvelope({
      ...envelope,
      serverSeq: this.sequencer.next(),
      'x-time': this.stamp(),
    });
    this.#workBytes += encoded.json.length;
    this.path.publishNumbered(() => sink.envelope(encoded, undefined), dropped);
  }

  /** Tells every subscriber of the root channel; never journaled nor replayed [ROOT-3]. */
  notifyRoot<M extends RootNotification>(method: M, params: HostToClientNotifications[M]): void {
    const text = JSON.stringify({ jsonrpc: '2.0', method, params });
    this.path.publish(() => {
      for (const { sink } of this.root.subscriptions.values()) sink.frame(text, 'message');
    });
  }

  /** Tells one client alone, in its place among what it is sent; never journaled nor replayed. Inside `path.transact` only. */
  notify<M extends 'root/progress'>(sink: Sink, method: M, params: HostToClientNotifications[M]): void {
    const text = JSON.stringify({ jsonrpc: '2.0', method, params });
    this.path.publish(() => sink.frame(text, 'message'));
  }

  /** The root channel; it is always in memory. */
  get root(): Channel<'root'> {
    const root = this.registry.getOf('root', ROOT_URI);
    if (root === undefined) throw new Error('the root channel is not loaded yet');
    return root;
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
