import type { TokenIdentity } from '../../auth/access-tokens.ts';

const MEBIBYTE = 1024 * 1024;

/** Bytes that an answer counts for while it is made, by default: the limit for the turns in a subscription [SUB-3]. */
export const ANSWER_BYTES = 8 * MEBIBYTE;

/** Shorter unread output is not counted: below the size of its own buffer a socket does not report exactly what was taken. */
const SMALL_BYTES = 64 * 1024;

/** Unread bytes of one token from which its further requests wait. */
export const MAX_UNREAD_BYTES = { admin: 64 * MEBIBYTE, other: 16 * MEBIBYTE } as const;

/** Unread bytes of all tokens together from which requests wait. `admin` tokens are not counted and do not wait. */
export const MAX_UNREAD_BYTES_IN_ALL = 32 * MEBIBYTE;

/** Added to that limit for tokens without unread answers. */
const SPARE_BYTES = 16 * MEBIBYTE;

/** The part of a connection that is measured. */
export interface Reader {
  readonly identity: TokenIdentity;
  readonly isClosed: boolean;
  /** Bytes of answers that the client has not taken. */
  readonly unreadBytes: number;
  /** Bytes that the client has taken since it connected. */
  readonly takenBytes: number;
}

/** A connection with unread answers. */
export interface Lagging<C> {
  readonly connection: C;
  /** Measurements since the client got the answer, or since `restartLooks`. */
  readonly lookCount: number;
  /** Bytes that the client has taken in that time. */
  readonly takenBytes: number;
}

interface Unread {
  bytes: number;
  lookCount: number;
  takenBefore: number;
}

interface Share<C> {
  readonly isAdmin: boolean;
  /** Bytes of unread answers, and of answers that are being made. */
  bytes: number;
  readonly readers: Map<C, Unread>;
}

/**
 * Counts unread answers by token. Each token has a limit of its own. All tokens that are not `admin` also share a limit, with a reserve for
 * tokens that have no unread answers.
 */
export class UnreadAnswers<C extends Reader> {
  readonly #byToken = new Map<string, Share<C>>();
  /** Tokens with a connection that was closed because its client did not read, and the measurements for which that counts. */
  readonly #blamed = new Map<string, number>();
  /** Bytes of all tokens that are not `admin`. */
  #bytes = 0;

  /** Whether one more answer may be made for the token of a connection. */
  hasRoom({ identity }: C): boolean {
    return this.isWithinShare(identity) && this.#isWithinAll(identity);
  }

  /** Whether a token is below its own limit. */
  isWithinShare({ tokenHash, scope }: TokenIdentity): boolean {
    const most = scope === 'admin' ? MAX_UNREAD_BYTES.admin : MAX_UNREAD_BYTES.other;
    return (this.#byToken.get(tokenHash)?.bytes ?? 0) < most;
  }

  /** Whether a token has unread answers or running requests, or was blamed recently. Tokens without any go first. */
  hasAny({ tokenHash }: TokenIdentity): boolean {
    return this.#byToken.has(tokenHash) || this.#blamed.has(tokenHash);
  }

  /** Notes that a connection of a token was closed because its client did not read. It counts for `lookCount` measurements. */
  blame({ tokenHash }: TokenIdentity, lookCount: number): void {
    this.#blamed.set(tokenHash, lookCount);
  }

  #isWithinAll(identity: TokenIdentity): boolean {
    if (identity.scope === 'admin' || this.#bytes < MAX_UNREAD_BYTES_IN_ALL) return true;
    return !this.hasAny(identity) && this.#bytes < MAX_UNREAD_BYTES_IN_ALL + SPARE_BYTES;
  }

  /** Call it when an answer of up to `mostBytes` is started. */
  begin({ identity }: C, mostBytes: number): void {
    this.#add(identity, mostBytes);
  }

  /** Call it when that answer was given to the connection. */
  end(connection: C, mostBytes: number): void {
    this.#add(connection.identity, -mostBytes);
    this.#count(connection, true);
  }

  /** Call it when a client has read, or its connection has closed. Returns whether that made room. */
  read(connection: C): boolean {
    const before = this.#byToken.get(connection.identity.tokenHash)?.readers.get(connection);
    if (before === undefined) return false;
    return this.#count(connection, false) < before.bytes;
  }

  #count(connection: C, isNew: boolean): number {
    const { identity, unreadBytes, isClosed, takenBytes } = connection;
    const { readers } = this.#shareOf(identity);
    const before = readers.get(connection);
    const bytes = isClosed || unreadBytes <= SMALL_BYTES ? 0 : unreadBytes;
    this.#add(identity, bytes - (before?.bytes ?? 0));
    if (bytes === 0) readers.delete(connection);
    else if (isNew || before === undefined)
      readers.set(connection, { bytes, lookCount: 0, takenBefore: takenBytes });
    else before.bytes = bytes;
    if (this.#shareOf(identity).bytes === 0) this.#byToken.delete(identity.tokenHash);
    return bytes;
  }

  /** Counts one more measurement. */
  look(): void {
    for (const { readers } of this.#byToken.values())
      for (const unread of readers.values()) unread.lookCount += 1;
    for (const [tokenHash, lookCount] of this.#blamed)
      if (lookCount > 1) this.#blamed.set(tokenHash, lookCount - 1);
      else this.#blamed.delete(tokenHash);
  }

  /** The connections of a token with unread answers. */
  laggingOf(tokenHash: string): Lagging<C>[] {
    const { readers = new Map<C, Unread>() } = this.#byToken.get(tokenHash) ?? {};
    return Array.from(readers, ([connection, { lookCount, takenBefore }]) => ({
      connection,
      lookCount,
      takenBytes: connection.takenBytes - takenBefore,
    }));
  }

  /** The tokens with unread answers, the one with the most first, without `admin` tokens. */
  fullest(): string[] {
    return [...this.#byToken]
      .filter(([, { isAdmin, readers }]) => !isAdmin && readers.size > 0)
      .toSorted(([, one], [, other]) => other.bytes - one.bytes)
      .map(([tokenHash]) => tokenHash);
  }

  /** Starts the measurements of a token's connections again. */
  restartLooks(tokenHash: string): void {
    for (const [connection, unread] of this.#byToken.get(tokenHash)?.readers ?? []) {
      unread.lookCount = 0;
      unread.takenBefore = connection.takenBytes;
    }
  }

  #add(identity: TokenIdentity, bytes: number): void {
    const share = this.#shareOf(identity);
    share.bytes += bytes;
    if (!share.isAdmin) this.#bytes += bytes;
  }

  #shareOf({ tokenHash, scope }: TokenIdentity): Share<C> {
    const known = this.#byToken.get(tokenHash);
    if (known !== undefined) return known;
    const share = { isAdmin: scope === 'admin', bytes: 0, readers: new Map<C, Unread>() };
    this.#byToken.set(tokenHash, share);
    return share;
  }
}
