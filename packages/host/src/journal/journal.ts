import type { SearchOptions, SearchPage } from './search/results.ts';

/** The newest turns of a chat, within limits. */
export interface TurnRange {
  /** Turns with a lower ordinal. Default: all. */
  readonly before?: number;
  readonly limit?: number;
  /** Bytes of JSON. */
  readonly maxBytes?: number;
  /** Turns that are read though they are larger than `maxBytes`. Default 1. */
  readonly least?: 0 | 1;
}

/**
 * The journal port: everything durable of a host. Implementations are named for their technology
 * (`sqlite-journal.ts`, `memory-journal.ts`) and pass `journal-contract.ts`.
 *
 * Rules that every implementation keeps:
 * - `commit` applies all writes of a batch in their order, in one transaction, or none of them. The host has at most
 *   one commit in flight.
 * - A read sees exactly the commits that had resolved when it was called.
 * - JSON travels as text: the host encodes each thing once.
 */
export interface Journal {
  /** Opens the store: takes the lock, migrates, checks. Called once, before anything else. Rejects with `JournalError`. */
  open(): Promise<JournalStart>;
  commit(writes: readonly JournalWrite[]): Promise<void>;
  /**
   * Reserves all sequence numbers up to and including `seq`, durably (synced to disk, so that a power loss cannot
   * undo it). Numbers at or below a reservation that a killed host left behind are never given again [CONN-4].
   */
  reserveSeq(seq: number): Promise<void>;

  /** The channel's snapshot row; `undefined` when unknown. */
  readChannel(uri: string): Promise<StoredChannel | undefined>;
  /** What is small of that row; never reads the state. */
  readChannelHead(uri: string): Promise<StoredChannelHead | undefined>;
  /** A channel's envelopes above `after`, oldest first, up to the one with which they come to `maxBytes` of JSON. */
  readEnvelopesAfter(channel: string, after: number, maxBytes: number): Promise<readonly StoredEnvelope[]>;
  /** URIs of the channels that belong to a session (its chats), in order of creation. */
  listChannels(session: string): Promise<readonly { uri: string; kind: string }[]>;
  /** Channels marked open by a `markOpen` write and not closed since: what recovery at start visits [CONN-8]. */
  listOpen(): Promise<readonly string[]>;
  /** Channels with an envelope at or below `seq` that their snapshot row does not reflect yet; at most `limit`. */
  listStale(seq: number, limit: number): Promise<readonly string[]>;

  /** Reads turns, oldest first. */
  readTurns(chat: string, options: TurnRange): Promise<readonly StoredTurn[]>;
  /** Whether the chat has a turn with `ordinal < before`. */
  hasTurnBefore(chat: string, before: number): Promise<boolean>;
  /** The ordinal of a turn by its id, or `undefined`. */
  findTurn(chat: string, turnId: string): Promise<number | undefined>;

  /** Envelopes of these channels with `after < seq <= upTo`, oldest first; `undefined` when they exceed `maxBytes`. */
  readEnvelopes(
    channels: readonly string[],
    after: number,
    upTo: number,
    maxBytes: number,
  ): Promise<readonly StoredEnvelope[] | undefined>;
  /** The public envelope that answered this dispatch, while the window holds it [ACT-5]. */
  findOutcome(clientId: string, epoch: string, clientSeq: number): Promise<StoredEnvelope | undefined>;
  /**
   * Size and bounds of the replay window. `bytes` are those of JSON, whatever it takes on disk. `trimmedSeq`: everything at or
   * below it may be gone.
   */
  windowStats(): Promise<{ bytes: number; trimmedSeq: number; oldestTime: number | undefined }>;
  /**
   * The lowest seq such that dropping all envelopes at or below it leaves at most `maxBytes` and nothing older than
   * `minTime` (ms since the epoch), or `undefined` when nothing has to go.
   */
  findTrimPoint(limits: { maxBytes: number; minTime: number }): Promise<number | undefined>;
  /**
   * Drops at most `limit` envelopes at or below `seq`, oldest first; resolves with how many went. A slice of a few
   * milliseconds. Stops before an envelope that its channel's snapshot row does not reflect yet: see `listStale`.
   */
  trim(seq: number, limit: number): Promise<number>;

  /** Catalogue rows, newest `modifiedAt` first (ties by URI) [ROOT-2]. */
  listSessions(options: SessionListOptions): Promise<readonly StoredSession[]>;

  readClient(id: string): Promise<StoredClient | undefined>;
  /** At most `limit` clients, those seen longest ago first (ties by id). `after`: the last one of the page before. */
  listClients(options: {
    limit: number;
    after?: { seenAt: number; id: string };
  }): Promise<readonly ListedClient[]>;
  /** The access tokens that are not revoked, in order of creation [AUTH-1]. */
  listTokens(): Promise<readonly StoredToken[]>;
  readContent(id: string): Promise<StoredContent | undefined>;
  readMeta(key: string): Promise<string | undefined>;
  listProcesses(): Promise<readonly StoredProcess[]>;

  /**
   * Bytes by session, of JSON where it is that: turns, snapshots, envelopes in the window, contents. What chats share counts for each
   * of them. `undefined` when unknown.
   */
  diskUse(session: string): Promise<DiskUse | undefined>;
  /**
   * Finds sessions by words of their titles, messages and answers (reasoning is left out), best first: what fits well and what is new.
   * `query`: words that all have to be there, "phrases", the last word as a beginning; case and accents do not count, and anything
   * else parts words. `limit` at least 1. Newer turns come in earlier pages; of a session a few at a time. Takes its time in slices.
   */
  search(query: string, options: SearchOptions): Promise<SearchPage>;
  /** Reads what is older than the index into it, or puts it in order, for about `ms`. Resolves with whether more is to do. */
  fillIndex(ms: number): Promise<boolean>;
  /** Gives freed pages back to the file system in a slice of at most `maxPages`; resolves with whether more remain. */
  compact(maxPages: number): Promise<boolean>;
  close(): Promise<void>;
}

/** What a journal knows when it has opened. */
export interface JournalStart {
  /** Highest sequence number of a journaled envelope; 0 when there is none. */
  readonly lastSeq: number;
  /** Time stamp of the newest journaled envelope, ms since the epoch; 0 when there is none. */
  readonly lastTime: number;
  /** Highest reserved number: the next host starts above it. */
  readonly reservedSeq: number;
  /**
   * Envelopes above `lastSeq` may have been sent and lost: the host was cut off and the machine has been restarted since, or
   * the database was set aside, removed or replaced by an older one.
   */
  readonly mayHaveLostTail: boolean;
  /**
   * Where that happened, now and at earlier starts, as far as the window reaches back: a client whose last number n lies in
   * one of these (`after < n <= upTo`) has seen what the journal may not hold, and gets snapshots.
   */
  readonly lost: readonly { readonly after: number; readonly upTo: number }[];
  /** Set when a damaged database was moved away at start: where it is now, and why, for people. */
  readonly setAside?: { readonly path: string; readonly reason: string };
  /** Numbers were given out here, and the database is empty or gone: what it held is lost. */
  readonly isLost?: true;
  /** Places whose number no host can have given out, for people: where each was, and where it was put aside. Others stood in for it. */
  readonly damagedNumbers?: readonly string[];
}

/** One durable change. A batch of them is one transaction. The numbers of envelopes rise from each to the next. */
export type JournalWrite =
  | {
      readonly op: 'envelope';
      readonly seq: number;
      readonly channel: string;
      readonly time: number;
      readonly json: string;
      readonly origin?: OutcomeKey;
    }
  /** Upserts by (chat, ordinal). Ordinals count from 0, without gaps. */
  | {
      readonly op: 'turn';
      readonly chat: string;
      readonly ordinal: number;
      readonly id: string;
      readonly json: string;
    }
  /** Drops the turns of a chat whose ordinal is at or above `from` and below `to` (default: all above), with their contents. */
  | { readonly op: 'dropTurns'; readonly chat: string; readonly from: number; readonly to?: number }
  /**
   * Makes turns 0 to `count - 1` of the chat `from`, as far as it has them, turns of `to` too, with their contents; what `to` held
   * goes. `session` is the one of `to`. Sees what stands before it in its batch. Both are independent from then on: what either drops, the
   * other keeps. Nothing is stored twice, and it costs the same for any number of turns.
   */
  | {
      readonly op: 'copyTurns';
      readonly from: string;
      readonly to: string;
      readonly session: string;
      readonly count: number;
    }
  /** Drops the contents of a turn that never came to a row: the active one, when it is cut off [CHAT-6]. */
  | { readonly op: 'dropContents'; readonly chat: string; readonly turnId: string }
  /** Upserts a channel's snapshot row. `state` and `local` are JSON; `local` is the host's own and never sent. */
  | {
      readonly op: 'channel';
      readonly uri: string;
      readonly kind: string;
      readonly session?: string;
      readonly seq: number;
      readonly state: string;
      readonly local: string;
    }
  /** Replaces only the `local` of an existing snapshot row; nothing when the row is absent. */
  | { readonly op: 'local'; readonly uri: string; readonly local: string }
  /** Drops snapshot row, turns, contents and open mark of a channel. Its envelopes stay in the window until trimmed. */
  | { readonly op: 'dropChannel'; readonly uri: string }
  | { readonly op: 'markOpen'; readonly uri: string }
  | { readonly op: 'markClosed'; readonly uri: string }
  | { readonly op: 'session'; readonly uri: string; readonly modifiedAt: string; readonly summary: string }
  /** Drops the catalogue row and the contents of a session (not its channels). */
  | { readonly op: 'dropSession'; readonly uri: string }
  | ({ readonly op: 'client' } & StoredClient)
  | { readonly op: 'dropClient'; readonly id: string }
  /** Upserts by `id`; its place in the order stays. */
  | ({ readonly op: 'token' } & StoredToken)
  /** Drops a token, and lets go of the clients that came by it: their `tokenHash` is '' from then on [AUTH-1]. */
  | { readonly op: 'dropToken'; readonly id: string }
  /** `chat` and `turnId`, both or none: the turn that it goes with; without them it stays as long as its session. */
  | ({
      readonly op: 'content';
      readonly session: string;
      readonly chat?: string;
      readonly turnId?: string;
    } & StoredContent)
  /** Stores the content `from` once more, as `id` and with that turn; nothing when there is no `from`. */
  | {
      readonly op: 'copyContent';
      readonly from: string;
      readonly id: string;
      readonly session: string;
      readonly chat: string;
      readonly turnId: string;
    }
  | ({ readonly op: 'process' } & StoredProcess)
  | { readonly op: 'dropProcess'; readonly pid: number }
  | { readonly op: 'meta'; readonly key: string; readonly value: string };

/** Which rows of the catalogue are wanted, and in what form. */
export interface SessionListOptions {
  /** Default: all. */
  readonly limit?: number;
  /** The last row of the page before. */
  readonly after?: { readonly modifiedAt: string; readonly uri: string };
  /**
   * Makes what stands for a summary, row by row as they are read, so that one of any size is in memory at a time. Default: the summary itself.
   */
  readonly shorten?: (summary: string) => string;
  /**
   * Rows come up to the one with which their summaries come to so many characters as shortened, or to twice as many as stored. Default: no
   * bound.
   */
  readonly maxLength?: number;
}

/** Which dispatch an envelope answers. */
export interface OutcomeKey {
  readonly clientId: string;
  readonly epoch: string;
  readonly clientSeq: number;
}

/** An envelope of the replay window. `time` is its `x-time`, ms since the epoch; `json` the whole envelope. */
export interface StoredEnvelope {
  readonly seq: number;
  readonly channel: string;
  readonly time: number;
  readonly json: string;
}

/** What a channel's snapshot row holds beside the state. `local` is JSON. */
export interface StoredChannelHead {
  readonly uri: string;
  readonly kind: string;
  readonly session?: string;
  /** The sequence number that the state reflects. */
  readonly seq: number;
  readonly local: string;
}

/** A channel's snapshot row. `state` is JSON. */
export interface StoredChannel extends StoredChannelHead {
  readonly state: string;
}

/** A completed turn by its place in its chat, counted from 0; `json` is the turn as on the wire. */
export interface StoredTurn {
  readonly ordinal: number;
  readonly id: string;
  readonly json: string;
}

/** A catalogue row: `modifiedAt` is ISO 8601, `summary` JSON. */
export interface StoredSession {
  readonly uri: string;
  readonly modifiedAt: string;
  readonly summary: string;
}

/** A client as the host remembers it over reconnects and restarts. */
export interface StoredClient {
  readonly id: string;
  /** Hash of the token that used this id first; '' once that was revoked [AUTH-1]. */
  readonly tokenHash: string;
  /** Wire version of its last handshake [CONN-7]. */
  readonly version: string;
  /** Random id of the client's life; absent for foreign clients [ACT-5]. */
  readonly epoch?: string;
  /** Highest `clientSeq` processed in that epoch; -1: none. */
  readonly lastClientSeq: number;
  /** JSON, by channel: what was asked for, and since which number it is delivered; and up to which number this holds. */
  readonly subscriptions: string;
  /** ms since the epoch. */
  readonly seenAt: number;
  /** BCP 47; absent: it has said none [CHAT-19]. */
  readonly locale?: string;
  /** JSON, by a digest of each earlier epoch that may come back: the highest `clientSeq` processed in it. Absent: there was none. */
  readonly pastEpochs?: string;
}

/** A remembered client, without its subscriptions. */
export interface ListedClient extends Pick<StoredClient, 'id' | 'tokenHash' | 'seenAt'> {
  /** Bytes of its subscriptions. */
  readonly bytes: number;
  /** Whether an action of it may have been processed, in this epoch or an earlier one. */
  readonly hasActed: boolean;
}

/** An access token, as far as the host knows it. Times are ms since the epoch. */
export interface StoredToken {
  readonly id: string;
  /** SHA-256 of the secret, in hex; no two tokens have the same. */
  readonly hash: string;
  readonly name?: string;
  readonly scope: string;
  readonly createdAt: number;
  /** Absent: never. */
  readonly lastUsedAt?: number;
  /** Absent: it holds until it is revoked. */
  readonly expiresAt?: number;
}

/** What a content URI leads to [RES-1]. `contentType` is its media type. */
export interface StoredContent {
  readonly id: string;
  readonly contentType: string;
  readonly data: Uint8Array;
}

/** A child process that the host started and that must not outlive it. */
export interface StoredProcess {
  readonly pid: number;
  /** As the operating system tells it, to recognise a reused pid (Linux: clock ticks since boot). */
  readonly startTime: string;
  readonly command: string;
}

/**
 * What one session keeps, in bytes: its completed turns, snapshot rows, envelopes in the window and contents. Envelopes count as
 * JSON; on disk large ones may take less.
 */
export interface DiskUse {
  readonly turnsBytes: number;
  readonly stateBytes: number;
  readonly windowBytes: number;
  readonly contentBytes: number;
}

/**
 * Why a journal cannot be used. `code` says what a person can do; 'damaged': start the host again, or restore a copy; 'missing': put the
 * database back, or start the host again; 'closed': nothing, the host has stopped.
 */
export class JournalError extends Error {
  override readonly name = 'JournalError';
  readonly code: 'locked' | 'newer' | 'readOnly' | 'full' | 'damaged' | 'missing' | 'closed' | 'io';

  constructor(code: JournalError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
