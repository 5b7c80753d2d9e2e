import type {
  DiskUse,
  ListedClient,
  OutcomeKey,
  StoredChannel,
  StoredChannelHead,
  StoredClient,
  StoredContent,
  StoredEnvelope,
  StoredProcess,
  StoredSession,
  StoredToken,
  StoredTurn,
  WholeDiskUse,
} from './rows.ts';
import type { SearchOptions, SearchPage } from './search/results.ts';

/** Selects the newest turns of a chat, within limits. */
export interface TurnRange {
  /** Only turns with a lower ordinal. Default: all turns. */
  readonly before?: number;
  readonly limit?: number;
  /** Bytes of JSON. */
  readonly maxBytes?: number;
  /** Number of turns that are read even when they exceed `maxBytes`. Default 1. */
  readonly least?: 0 | 1 | 2;
}

/**
 * The journal port: all durable data of a host. Implementations are named for their technology
 * (`sqlite-journal.ts`, `memory-journal.ts`) and pass `journal-contract.ts`.
 *
 * Rules that every implementation keeps:
 * - `commit` applies all writes of a batch in their order, in one transaction, or none of them. The host has at most
 *   one commit in flight.
 * - A read sees exactly the commits that had resolved when it was called.
 * - JSON is passed as text, so that the host encodes each value once.
 */
export interface Journal {
  /** Opens the store: takes the lock, migrates, checks. Called once, before anything else. Rejects with `JournalError`. */
  open(): Promise<JournalStart>;
  commit(writes: readonly JournalWrite[]): Promise<void>;
  /**
   * Reserves all sequence numbers up to and including `seq`, durably (synced to disk, so that a power loss cannot
   * undo it). The host never reuses a number at or below a reservation, not even one of a killed host [CONN-4].
   */
  reserveSeq(seq: number): Promise<void>;

  /** The channel's snapshot row; `undefined` when unknown. */
  readChannel(uri: string): Promise<StoredChannel | undefined>;
  /** The channel's snapshot row without its state, which is not read. */
  readChannelHead(uri: string): Promise<StoredChannelHead | undefined>;
  /** A channel's envelopes above `after`, oldest first. The last one is the first with which their JSON reaches `maxBytes`. */
  readEnvelopesAfter(channel: string, after: number, maxBytes: number): Promise<readonly StoredEnvelope[]>;
  /** URIs of the channels that belong to a session (its chats), in order of creation. */
  listChannels(session: string): Promise<readonly { uri: string; kind: string }[]>;
  /** Channels that a `markOpen` write marked and no `markClosed` write closed since. Recovery at start visits them [CONN-8]. */
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
   * Size and bounds of the replay window. `bytes` is the size of the JSON, not of the rows on disk. Envelopes at or below `trimmedSeq`
   * may be gone.
   */
  windowStats(): Promise<{ bytes: number; trimmedSeq: number; oldestTime: number | undefined }>;
  /**
   * The lowest seq such that dropping all envelopes at or below it leaves at most `maxBytes` and nothing older than
   * `minTime` (ms since the epoch), or `undefined` when nothing exceeds the limits.
   */
  findTrimPoint(limits: { maxBytes: number; minTime: number }): Promise<number | undefined>;
  /**
   * Drops at most `limit` envelopes at or below `seq`, oldest first, and resolves with their number. Takes a few
   * milliseconds. Stops before an envelope that its channel's snapshot row does not reflect yet: see `listStale`.
   */
  trim(seq: number, limit: number): Promise<number>;

  /** Catalogue rows, newest `modifiedAt` first (ties by URI) [ROOT-2]. */
  listSessions(options: SessionListOptions): Promise<readonly StoredSession[]>;

  readClient(id: string): Promise<StoredClient | undefined>;
  /** At most `limit` clients, those seen longest ago first (ties by id). `after`: the last client of the previous page. */
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
   * Sizes of a session's turns, snapshots, contents and envelopes in the window. Turns that chats share are counted for each chat. `undefined`
   * for an unknown session.
   */
  diskUse(session: string): Promise<DiskUse | undefined>;
  /** Sizes of the whole journal. */
  wholeDiskUse(): Promise<WholeDiskUse>;
  /**
   * Finds sessions by words of their titles, messages and answers, but not of their reasoning. Better matches and newer sessions come first.
   * `query`: words that all must occur, "phrases", and the last word as a prefix. Case and accents are ignored; all other characters
   * separate words. `limit` is at least 1. Earlier pages have newer turns, with a few hits of each session. Runs in slices.
   */
  search(query: string, options: SearchOptions): Promise<SearchPage>;
  /** Indexes rows that are older than the word index, or merges parts of the index, for about `ms`. Resolves with whether work remains. */
  fillIndex(ms: number): Promise<boolean>;
  /** Returns at most `maxPages` freed pages to the file system. Resolves with whether freed pages remain. */
  compact(maxPages: number): Promise<boolean>;
  /**
   * Writes a consistent copy of the whole store to a new file, while other calls continue. One at a time: a second call rejects. `close` aborts it.
   * Rejects with the signal's reason. Absent: the implementation has no file.
   */
  copyTo?(file: string, signal: AbortSignal): Promise<void>;
  /** Queries the database server. Rejects with `JournalError`. Absent: the implementation has no server. */
  checkServer?(): Promise<ServerCheck>;
  close(): Promise<void>;
}

/** Facts that a journal reports once it is open. */
export interface JournalStart {
  /** Highest sequence number of a journaled envelope; 0 when there is none. */
  readonly lastSeq: number;
  /** Time stamp of the newest journaled envelope, ms since the epoch; 0 when there is none. */
  readonly lastTime: number;
  /** Highest reserved number: the next host starts above it. */
  readonly reservedSeq: number;
  /**
   * Whether envelopes above `lastSeq` may have been sent and lost: the host did not close the journal and the machine was restarted since,
   * or the database was set aside, removed or replaced by an older one.
   */
  readonly mayHaveLostTail: boolean;
  /**
   * The ranges of such losses, at this start and at earlier ones, as far as the window reaches back. A client whose last number n lies in
   * a range (`after < n <= upTo`) has seen envelopes that the journal may not hold, and gets snapshots.
   */
  readonly lost: readonly { readonly after: number; readonly upTo: number }[];
  /** Set when this start moved a damaged database aside: its new path, and the reason as text. */
  readonly setAside?: { readonly path: string; readonly reason: string };
  /** Set when an earlier host gave out numbers here and the database is now empty or missing: its data is lost. */
  readonly isLost?: true;
  /** Places that held a number which no host can have given out, as text: where it was, and where it was set aside. The other places were used. */
  readonly damagedNumbers?: readonly string[];
}

/** One durable change. A batch is one transaction. Each envelope's number is above that of the envelope before. */
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
  /**
   * Drops the turns of a chat whose ordinal is at or above `from` and below `to` (default: all above), with their contents. `keepsContents`:
   * the contents stay, as those of turns without a row. A resumed turn is active again, and refers to them [CHAT-23].
   */
  | {
      readonly op: 'dropTurns';
      readonly chat: string;
      readonly from: number;
      readonly to?: number;
      readonly keepsContents?: true;
    }
  /**
   * Replaces the turns of the chat `to` by turns 0 to `count - 1` of the chat `from`, with their contents. `session` is the session of `to`.
   * Earlier writes of the batch are visible. The chats are independent from then on: a turn that one drops stays in the other. The turns are
   * stored once, and the cost does not depend on their number.
   */
  | {
      readonly op: 'copyTurns';
      readonly from: string;
      readonly to: string;
      readonly session: string;
      readonly count: number;
    }
  /**
   * Gives a chat to another session, with its contents [SESS-29]. Its turns stay; the cost depends only on the number of its contents.
   */
  | { readonly op: 'moveChat'; readonly chat: string; readonly session: string }
  /** Drops the contents of a turn without a row: the active turn, when a truncation removes it [CHAT-6]. */
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
  /** Replaces only the `local` of an existing snapshot row. Does nothing when the row is absent. */
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
  /** Upserts by `id`. An existing token keeps its place in the order. */
  | ({ readonly op: 'token' } & StoredToken)
  /** Drops a token and sets the `tokenHash` of its clients to '' [AUTH-1]. */
  | { readonly op: 'dropToken'; readonly id: string }
  /** `chat` and `turnId` are given both or not at all. The content is dropped with that turn, or else with its session. */
  | ({
      readonly op: 'content';
      readonly session: string;
      readonly chat?: string;
      readonly turnId?: string;
    } & StoredContent)
  /** Copies the content `from` to `id`, for that turn. Does nothing when there is no content `from`. */
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

/** The result of a query to the database server of a journal. */
export interface ServerCheck {
  /** Kind and version of the server. */
  readonly name: string;
  readonly cell: string;
  /** Version of the tables. */
  readonly tablesVersion: number;
  /** Whether this host holds the cell. */
  readonly isHeld: boolean;
}

/** Selects rows of the catalogue, and their form. */
export interface SessionListOptions {
  /** Default: all. */
  readonly limit?: number;
  /** The last row of the previous page. */
  readonly after?: { readonly modifiedAt: string; readonly uri: string };
  /**
   * Shortens a summary as soon as its row is read, so that at most one summary of full size is in memory. Default: the summary stays as it is.
   */
  readonly shorten?: (summary: string) => string;
  /**
   * The last row is the one with which the shortened summaries reach this number of characters, or the stored summaries twice this number.
   * Default: no limit.
   */
  readonly maxLength?: number;
}

/**
 * The journal cannot be used. `code` tells what to do: 'damaged': start the host again, or restore a copy; 'missing': put the database
 * back, or start the host again; 'closed': nothing, the host has stopped; 'unreachable': check the database server, the host tries again;
 * 'lost': start the host again; another one writes this journal now, or its database was restored, or did not answer for too long. The message
 * of 'lost' is sent to clients too, so it must contain no names of files and servers.
 */
export class JournalError extends Error {
  override readonly name = 'JournalError';
  readonly code:
    | 'locked'
    | 'newer'
    | 'readOnly'
    | 'full'
    | 'damaged'
    | 'missing'
    | 'closed'
    | 'unreachable'
    | 'lost'
    | 'io';

  constructor(code: JournalError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
