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

/** Maximum bytes of JSON envelopes that are in memory at once while a channel is loaded. */
const CATCH_UP_BYTES = 512 * 1024;

const isKind = (kind: string): kind is ChannelKind => CHANNEL_KINDS.some((known) => known === kind);

/** Initial values of a channel. */
export interface NewChannel<K extends ChannelKind> {
  readonly uri: string;
  readonly kind: K;
  readonly session?: string;
  readonly state: ChannelState[K];
  readonly hostData: ChannelHostData[K];
}

/** A channel without a row. */
export interface Rebuilt<K extends ChannelKind> {
  readonly init: NewChannel<K>;
  /** Number of the last envelope before the channel got this state. A client with a lower number gets a snapshot. */
  readonly seq: number;
}

/** The channels in memory. Channels are loaded on first use and unloaded when idle. */
export class Registry {
  readonly #journal: Journal;
  readonly #path: CommitPath;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #channels = new Map<string, Channel>();
  /** Channels of a session, by session URI. */
  readonly #bySession = new Map<string, Set<Channel>>();
  readonly #byKind = new Map<ChannelKind, Set<Channel>>();
  readonly #loading = new Map<string, Promise<Channel | undefined>>();
  readonly #loaded: ((channel: Channel) => void)[] = [];
  readonly #added: ((channel: Channel) => void)[] = [];
  readonly #rebuilders: ((uri: string) => Promise<Channel | undefined>)[] = [];
  /** Windows are read one after the other. Otherwise the turns of many chats would be in memory twice. */
  #filling: Promise<void> = Promise.resolve();
  /** URIs of disposed channels whose removal is not committed yet. */
  readonly #leaving = new Set<string>();

  constructor(parts: { journal: Journal; path: CommitPath; clock: Clock; log: Log }) {
    this.#journal = parts.journal;
    this.#path = parts.path;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  /** Calls back with each channel that was loaded from disk, before any other part uses it. */
  onLoaded(listener: (channel: Channel) => void): void {
    this.#loaded.push(listener);
  }

  /**
   * Adds a function that rebuilds channels without a row. The journal gets no row for what it returns. It may also create the channel by
   * `create`.
   */
  onMissing<K extends ChannelKind>(rebuild: (uri: string) => Promise<Rebuilt<K> | undefined>): void {
    this.#rebuilders.push(async (uri) => {
      const rebuilt = await rebuild(uri);
      if (rebuilt === undefined) return undefined;
      const { init, seq } = rebuilt;
      const hostData = { ...init.hostData, bornSeq: seq };
      return new Channel<K>({ ...init, hostData, seq, usedAt: steadyNow(this.#clock) });
    });
  }

  /** Calls back with each channel added to memory; for a new channel, in the transaction that creates it. */
  onAdded(listener: (channel: Channel) => void): void {
    this.#added.push(listener);
  }

  /** The channel if it is in memory. Marks it as used. */
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

  /** The channel, from memory or disk, together with the session of a chat. `undefined` if there is none. */
  async open(uri: string): Promise<Channel | undefined> {
    const channel = this.use(uri) ?? (await this.load(uri));
    if (channel !== undefined) channel.openedAt = steadyNow(this.#clock);
    return channel;
  }

  /** Opens a channel for the host's own work. Does not count as a use. */
  async load(uri: string): Promise<Channel | undefined> {
    const present = this.#channels.get(uri);
    if (present !== undefined) return present;
    // SQLite stores a lone surrogate as U+FFFD, so two URIs could collide.
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

  /** All channels of a kind that are in memory. */
  *ofKind<K extends ChannelKind>(kind: K): Iterable<Channel<K>> {
    for (const channel of this.#byKind.get(kind) ?? []) if (channel.is(kind)) yield channel;
  }

  /** The channels of a session that are in memory. */
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

  /** Removes a channel with its rows and subscriptions. Envelopes emitted before are still sent. */
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

  /** Gives a chat to another session. Its subscriptions stay [SESS-29]. */
  move(tx: Tx, chat: Channel<'chat'>, session: string): void {
    const before = chat.session;
    this.#assign(chat, session);
    tx.undo(() => this.#assign(chat, before));
    tx.write({ op: 'moveChat', chat: chat.uri, session });
  }

  /** Removes a channel that is not in memory. A load in progress finds nothing. */
  disposeUnloaded(tx: Tx, uri: string): void {
    this.#leaving.add(uri);
    const left = (): void => void this.#leaving.delete(uri);
    tx.undo(left);
    tx.write({ op: 'dropChannel', uri });
    tx.publish(left);
  }

  /** Adds the length of an envelope that the snapshot row does not reflect. */
  fellBehind(tx: Tx, channel: Channel, length: number): void {
    this.#setBehind(tx, channel, channel.behindLength + length);
  }

  /** Writes a snapshot row with the channel's current state, without turns. */
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

  /** Saves and unloads channels that have been idle since `before` (by `steadyNow`). */
  unloadIdle(before: number): void {
    // Channels that cannot be saved must stay in memory. A retry would not help.
    if (!this.#path.isHealthy) return;
    for (const channel of this.#channels.values()) {
      if (channel.kind === 'root' || !channel.isIdle || channel.usedAt >= before) continue;
      // A turn that waits for its session to be ready has no agent that pins the chat yet.
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

  /** Unloads a channel at once, unless it has a subscriber or a pin. All its changes must be durable. */
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
    this.#byKind.set(channel.kind, (this.#byKind.get(channel.kind) ?? new Set()).add(channel));
    this.#join(channel);
    for (const listener of this.#added) listener(channel);
  }

  #drop(channel: Channel): void {
    channel.isAlive = false;
    this.#channels.delete(channel.uri);
    this.#byKind.get(channel.kind)?.delete(channel);
    this.#leave(channel);
  }

  #assign(channel: Channel, session: string | undefined): void {
    if (channel.isAlive) this.#leave(channel);
    channel.session = session;
    if (channel.isAlive) this.#join(channel);
  }

  #join(channel: Channel): void {
    const { session } = channel;
    if (session !== undefined)
      this.#bySession.set(session, (this.#bySession.get(session) ?? new Set()).add(channel));
  }

  #leave(channel: Channel): void {
    const { session = '' } = channel;
    const siblings = this.#bySession.get(session);
    siblings?.delete(channel);
    if (siblings?.size === 0) this.#bySession.delete(session);
  }

  async #load(uri: string): Promise<Channel | undefined> {
    const stored = await this.#journal.readChannel(uri);
    if (stored === undefined) return this.#loadRebuilt(uri);
    if (!isKind(stored.kind)) return undefined;
    if (stored.session !== undefined && (await this.open(stored.session)) === undefined) {
      this.#log.error({ uri, session: stored.session }, 'ignored a channel whose session does not exist');
      return undefined;
    }
    return this.#take(await this.#hydrate(stored, stored.kind));
  }

  /** A client that saw the channel before its removal gets a snapshot. */
  async #loadRebuilt(uri: string): Promise<Channel | undefined> {
    for (const rebuild of this.#rebuilders) {
      const rebuilt = await rebuild(uri);
      const created = this.#channels.get(uri);
      if (created !== undefined) return created;
      if (rebuilt !== undefined) return this.#take(rebuilt);
    }
    return undefined;
  }

  #take(channel: Channel): Channel | undefined {
    // The channel may have been created, or disposed of, while its rows were read.
    const present = this.#channels.get(channel.uri);
    if (present !== undefined) return present;
    if (this.#leaving.has(channel.uri)) return undefined;
    this.#add(channel);
    for (const listener of this.#loaded) listener(channel);
    return channel;
  }

  async #hydrate<K extends ChannelKind>(stored: StoredChannel, kind: K): Promise<Channel<K>> {
    // This host wrote the value after validation, so it has the type of the kind.
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

  /**
   * Reduces the envelopes after the snapshot row in slices. A terminal with much output may have many
   * megabytes.
   */
  async #catchUp<K extends ChannelKind>(channel: Channel<K>): Promise<void> {
    for (;;) {
      const page = await this.#journal.readEnvelopesAfter(channel.uri, channel.seq, CATCH_UP_BYTES);
      if (page.length === 0) return;
      for (const { json, seq } of page) {
        // This host journaled the envelope after validation.
        const envelope: ActionEnvelope = JSON.parse(json);
        channel.state = reduceMirrored(channel.kind, channel.state, envelope.action);
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

/** The state without turns, which are rows of their own. */
function withoutTurns(state: ChatState): ChatState {
  const { turnsNextCursor: _, ...rest } = state;
  return { ...rest, turns: [] };
}
