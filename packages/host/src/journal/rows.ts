/** Names the dispatch that an envelope answers. */
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

/** A channel's snapshot row without its state. `local` is JSON. */
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

/** A completed turn. `ordinal` is the place in the chat, from 0; `json` is the turn as on the wire. */
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
  /** Hash of the token that used this id first; '' once that token was revoked [AUTH-1]. */
  readonly tokenHash: string;
  /** Wire version of its last handshake [CONN-7]. */
  readonly version: string;
  /** Random id of the client's life; absent for foreign clients [ACT-5]. */
  readonly epoch?: string;
  /** Highest `clientSeq` processed in that epoch; -1 for none. */
  readonly lastClientSeq: number;
  /** JSON list of pairs of a channel URI and a `RememberedSubscription`. */
  readonly subscriptions: string;
  /** ms since the epoch. */
  readonly seenAt: number;
  /** BCP 47; absent when the client sent none [CHAT-19]. */
  readonly locale?: string;
  /** JSON: the highest `clientSeq` processed in each earlier epoch that may return, by a digest of the epoch. Absent: no such epoch. */
  readonly pastEpochs?: string;
}

/** A remembered client, without its subscriptions. */
export interface ListedClient extends Pick<StoredClient, 'id' | 'tokenHash' | 'seenAt'> {
  /** Bytes of its subscriptions. */
  readonly bytes: number;
  /** Whether an action of this client may have been processed, in this epoch or an earlier one. */
  readonly hasActed: boolean;
}

/** An access token; the host does not know its secret. Times are ms since the epoch. */
export interface StoredToken {
  readonly id: string;
  /** SHA-256 of the secret, in hex; no two tokens have the same. */
  readonly hash: string;
  readonly name?: string;
  readonly scope: string;
  readonly createdAt: number;
  /** Absent: never. */
  readonly lastUsedAt?: number;
  /** Absent: the token is valid until it is revoked. */
  readonly expiresAt?: number;
}

/** The data behind a content URI [RES-1]. `contentType` is its media type. */
export interface StoredContent {
  readonly id: string;
  readonly contentType: string;
  readonly data: Uint8Array;
}

/** A child process that the host started and that must not outlive it. */
export interface StoredProcess {
  readonly pid: number;
  /** As the operating system reports it (Linux: clock ticks since boot). Tells a reused pid apart. */
  readonly startTime: string;
  readonly command: string;
}

/**
 * Bytes that one session takes: completed turns, snapshot rows, envelopes in the replay window, contents. JSON counts with its full length,
 * although large rows are stored compressed.
 */
export interface DiskUse {
  readonly turnsBytes: number;
  readonly stateBytes: number;
  readonly windowBytes: number;
  readonly contentBytes: number;
}

/** Bytes of the whole journal. */
export interface WholeDiskUse {
  /** Its files, or their equivalent in memory. */
  readonly databaseBytes: number;
  /** The part of them that is used again before they grow. */
  readonly reusableBytes: number;
  /** The part of them that holds contents. */
  readonly contentBytes: number;
}
