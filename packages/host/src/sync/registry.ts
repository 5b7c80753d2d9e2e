import {
  type ActionEnvelope,
  CHANNEL_KINDS,
  type ChannelKind,
  type ChannelState,
  type ChatState,
  reduceMirrored,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { type Journal, JournalError } from '../journal/journal.ts';
import type { StoredChannel } from '../journal/rows.ts';
import { type Clock, steadyNow } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { Channel } from './channel.ts';
import type { CommitPath } from './commit-path.ts';
import { fitState } from './fit-state.ts';
import type { ChannelHostData } from './host-data.ts';
import type { Tx } from './tx.ts';
import { readTurn, WINDOW_LIMITS, withTurns } from './window.ts';

/** Envelopes that are in memory at a time while a channel is loaded, in bytes of JSON. */
const CATCH_UP_BYTES = 512 * 1024;

const isKind = (kind: string): kind is ChannelKind => CHANNEL_KINDS.some((known) => known === kind);

/** What a new channel begins with. */
export interface NewChannel<K extends ChannelKind> {
  readonly uri: string;
  readonly kind: K;
  readonly session?: string;
  readonly state: ChannelState[K];
  readonly hostData: ChannelHostData[K];
}

/** The channels in memory, loaded on first use and unloaded when nobody needs them. */
export class Registry {
  readonly #journal: Journal;
  readonly #path: CommitPath;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #channels = new Map<string, Channel>();
  /** Those that belong to a session, by its URI. */
  readonly #bySession = new Map<string, Set<Channel>>();
  readonly #loading = new Map<string, Promise<Channel | undefined>>();
  readonly #loaded: ((channel: Channel) => void)[] = [];
  readonly #added: ((channel: Channel) => void)[] = [];
  /** Windows are read one after the other: together, the turns of many chats would be in memory twice. */
  #filling: Promise<void> = Promise.resolve();
  /** Disposed, and the journal does not know it yet. */
  readonly #leaving = new Set<string>();

  constructor(parts: { journal: Journal; path: CommitPath; clock: Clock; log: Log }) {
    this.#journal = parts.journal;
    this.#path = parts.path;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  /** Calls back with each channel that comes from disk, before anybody else has it. */
  onLoaded(listener: (channel: Channel) => void): void {
    this.#loaded.push(listener);
  }

  /** Calls back with each channel that has come into memory, in a transaction where it was made in one. */
  onAdded(listener: (channel: Channel) => void): void {
    this.#added.push(listener);
  }

  /** The channel if it is in memory, for somebody who will need it for a while. */
  use(uri: string): Channel | undefined {
    const channel = this.#channels.get(uri);
    if (channel !== undefined) channel.usedAt = channel.openedAt = steadyNow(this.#clock);
    return channel;
  }

  /** The channel if it is in memory. */
  get(uri: string): Channel | undefined {
    return this.#channels.get(uri);
  }

  /** The channel of that kind if it is in memory. */
  getOf<K extends ChannelKind>(kind: K, uri: string): Channel<K> | undefined {
    const channel = this.#channels.get(uri);
    return channel?.is(kind) === true ? channel : undefined;
  }

  /** The channel, from memory or disk (with its session, for a chat); `undefined` when there is none. */
  async open(uri: string): Promise<Channel | undefined> {
    const channel = this.use(uri) ?? (await this.load(uri));
    if (channel !== undefined) channel.openedAt = steadyNow(this.#clock);
    return channel;
  }

  /** The same for the host's own work: it says nothing of how long anybody needs the channel. */
  async load(uri: string): Promise<Channel | undefined> {
    const present = this.#channels.get(uri);
    if (present !== undefined) return present;
    // Half a character is another one on disk: it would find what belongs to another URI.
    if (this.#leaving.has(uri) || /\p{Surrogate}/u.test(uri)) return undefined;
    const loading = this.#loading.get(uri) ?? this.#load(uri);
    this.#loading.set(uri, loading);
    try {
      return await loading;
    } finally {
      this.#loading.delete(uri);
    }
  }

  async openOf<K extends ChannelKind>(kind: K, uri: string): Promise<Channel<K> | undefined> {
    const channel = await this.open(uri);
    return channel?.is(kind) === true ? channel : undefined;
  }

  /** All channels in memory. */
  all(): Iterable<Channel> {
    return this.#channels.values();
  }

  /** The channels in memory that belong to a session. */
  ofSession(session: string): Iterable<Channel> {
    return this.#bySession.get(session) ?? [];
  }

  /** Adds a channel and its snapshot row. */
  create<K extends ChannelKind>(tx: Tx, init: NewChannel<K>, seq: number): Channel<K> {
    const hostData = { ...init.hostData, bornSeq: seq };
    const state = fitState(init.kind, init.state);
    const channel = new Channel<K>({ ...init, state, hostData, seq, usedAt: steadyNow(this.#clock) });
    channel.openedAt = channel.usedAt;
    this.#add(channel);
    tx.undo(() => this.#drop(channel));
    this.writeSnapshot(tx, channel);
    return channel;
  }

  /** Removes a channel for good, with its rows and subscriptions. Envelopes emitted before still go out. */
  dispose(tx: Tx, channel: Channel): void {
    this.#drop(channel);
    this.#leaving.add(channel.uri);
    tx.undo(() => {
      this.#leaving.delete(channel.uri);
      this.#add(channel);
    });
    tx.write({ op: 'dropChannel', uri: channel.uri });
    tx.publish(() => {
      this.#leaving.delete(channel.uri);
      for (const subscription of channel.subscriptions.values()) subscription.ended?.();
      channel.subscriptions.clear();
    });
  }

  /** Disposes of a channel that is not in memory. A load in progress finds nothing. */
  disposeUnloaded(tx: Tx, uri: string): void {
    this.#leaving.add(uri);
    const left = (): void => void this.#leaving.delete(uri);
    tx.undo(left);
    tx.write({ op: 'dropChannel', uri });
    tx.publish(left);
  }

  /** The channel's envelopes have become longer by so much. */
  fellBehind(tx: Tx, channel: Channel, length: number): void {
    this.#setBehind(tx, channel, channel.behindLength + length);
  }

  /** Writes the channel's small remaining state as it is now. */
  writeSnapshot(tx: Tx, channel: Channel): void {
    const before = channel.snapshotSeq;
    channel.snapshotSeq = channel.seq;
    tx.undo(() => {
      channel.snapshotSeq = before;
    });
    if (channel.behindLength > 0) this.#setBehind(tx, channel, 0);
    tx.write({
      op: 'channel',
      uri: channel.uri,
      kind: channel.kind,
      ...defined({ session: channel.session }),
      seq: channel.seq,
      state: JSON.stringify(channel.is('chat') ? withoutTurns(channel.state) : channel.state),
      local: JSON.stringify(channel.hostData),
    });
  }

  /** Takes what has been idle since `before` (by `steadyNow`) out of memory, saved first. */
  unloadIdle(before: number): void {
    // What cannot be saved has to stay, and trying again and again helps nobody.
    if (!this.#path.isHealthy) return;
    for (const channel of this.#channels.values()) {
      if (channel.kind === 'root' || !channel.isIdle || channel.usedAt >= before) continue;
      // One that waits for its session to be ready has no agent yet that would keep it.
      if (channel.is('chat') && channel.state.activeTurn !== undefined) continue;
      if (this.#bySession.has(channel.uri)) continue;
      const { seq } = channel;
      this.#path.transact('host', (tx) => {
        if (channel.isAlive && channel.seq !== channel.snapshotSeq) this.writeSnapshot(tx, channel);
        tx.effect(() => {
          if (channel.isAlive && channel.isIdle && channel.seq === seq && channel.usedAt < before)
            this.#drop(channel);
        });
      });
    }
  }

  /** Takes a channel out of memory at once, unless it has a subscriber or a pin. All of it is durable. */
  unload(channel: Channel): void {
    if (channel.isAlive && channel.isIdle) this.#drop(channel);
  }

  #setBehind(tx: Tx, channel: Channel, length: number): void {
    const before = channel.behindLength;
    channel.behindLength = length;
    tx.undo(() => {
      channel.behindLength = before;
    });
  }

  #add(channel: Channel): void {
    channel.isAlive = true;
    this.#channels.set(channel.uri, channel);
    const { session } = channel;
    if (session !== undefined)
      this.#bySession.set(session, (this.#bySession.get(session) ?? new Set()).add(channel));
    for (const listener of this.#added) listener(channel);
  }

  #drop(channel: Channel): void {
    channel.isAlive = false;
    this.#channels.delete(channel.uri);
    const { session = '' } = channel;
    const siblings = this.#bySession.get(session);
    siblings?.delete(channel);
    if (siblings?.size === 0) this.#bySession.delete(session);
  }

  async #load(uri: string): Promise<Channel | undefined> {
    const stored = await this.#journal.readChannel(uri);
    if (stored === undefined || !isKind(stored.kind)) return undefined;
    if (stored.session !== undefined && (await this.open(stored.session)) === undefined) {
      this.#log.error({ uri, session: stored.session }, 'a channel without its session is ignored');
      return undefined;
    }
    const channel = await this.#hydrate(stored, stored.kind);
    // Created meanwhile, or disposed while its rows were read.
    const present = this.#channels.get(uri);
    if (present !== undefined) return present;
    if (this.#leaving.has(uri)) return undefined;
    this.#add(channel);
    for (const listener of this.#loaded) listener(channel);
    return channel;
  }

  async #hydrate<K extends ChannelKind>(stored: StoredChannel, kind: K): Promise<Channel<K>> {
    // Written by this host from checked values: what comes back has the kind's type.
    const state: ChannelState[K] = parse(stored, 'state');
    const hostData: ChannelHostData[K] = parse(stored, 'local');
    const channel = new Channel<K>({
      uri: stored.uri,
      kind,
      session: stored.session,
      state,
      hostData,
      seq: stored.seq,
      usedAt: steadyNow(this.#clock),
    });
    if (channel.is('chat')) await this.#fillWindow(channel);
    await this.#catchUp(channel);
    return channel;
  }

  /** Reduces what came after the snapshot row, some of it at a time: of a terminal that flooded it may be many megabytes. */
  async #catchUp<K extends ChannelKind>(channel: Channel<K>): Promise<void> {
    for (;;) {
      const page = await this.#journal.readEnvelopesAfter(channel.uri, channel.seq, CATCH_UP_BYTES);
      if (page.length === 0) return;
      for (const { json, seq } of page) {
        // Journaled by this host after its checks.
        const envelope: ActionEnvelope = JSON.parse(json);
        channel.state = reduceMirrored(channel.kind, channel.state, envelope.action, envelope['x-time'] ?? 0);
        channel.seq = seq;
        channel.behindLength += json.length;
      }
    }
  }

  #fillWindow(chat: Channel<'chat'>): Promise<void> {
    const filling = this.#filling.then(() => this.#readWindow(chat));
    this.#filling = filling.catch(() => undefined);
    return filling;
  }

  async #readWindow(chat: Channel<'chat'>): Promise<void> {
    const rows = await this.#journal.readTurns(chat.uri, WINDOW_LIMITS);
    const turns = rows.map(readTurn);
    const { turnCount, keptFrom } = chat.hostData;
    chat.state = withTurns(chat.state, turns, turnCount - turns.length, keptFrom);
  }
}

function parse(stored: StoredChannel, part: 'state' | 'local') {
  try {
    return JSON.parse(stored[part]);
  } catch (error) {
    throw new JournalError('io', `The ${part} of channel ${stored.uri} cannot be read`, { cause: error });
  }
}

/** Turns are rows of their own; the snapshot row holds the rest. */
function withoutTurns(state: ChatState): ChatState {
  const { turnsNextCursor: _, ...rest } = state;
  return { ...rest, turns: [] };
}
