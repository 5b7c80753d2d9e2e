import type { TokenIdentity } from '../../auth/access-tokens.ts';

const MEBIBYTE = 1024 * 1024;

/** What an answer that is being made counts for by default: a subscription has at most so many bytes of turns [SUB-3]. */
export const ANSWER_BYTES = 8 * MEBIBYTE;

/** Shorter answers are not counted: what a socket reports as taken is exact only above its own buffer. */
const SMALL_BYTES = 64 * 1024;

/** Unread answers of one token hold up its further ones from so many bytes on. */
export const MAX_UNREAD_BYTES = { admin: 64 * MEBIBYTE, other: 16 * MEBIBYTE } as const;

/** Unread answers of all tokens but admins' together hold up those tokens from so many bytes on. */
export const MAX_UNREAD_BYTES_IN_ALL = 32 * MEBIBYTE;

/** On top of that, for tokens that have nothing unread. */
const SPARE_BYTES = 16 * MEBIBYTE;

/** A connection, as far as its unread answers matter. */
export interface Reader {
  readonly identity: TokenIdentity;
  readonly isClosed: boolean;
  /** Bytes of answers that its client has not taken. */
  readonly unreadBytes: number;
  /** Bytes that its client has taken since it came. */
  readonly takenBytes: number;
}

/** A reader with something unread, as others wait for its room. */
export interface Lagging<C> {
  readonly connection: C;
  /** How often it was looked at since its client had this to read, or since `spare`. */
  readonly lookCount: number;
  /** Bytes that its client has taken in that time. */
  readonly takenBytes: number;
}

interface Unread {
  bytes: number;
  lookCount: number;
  takenBefore: number;
}

interface Share<C> {
  readonly isAdmin: boolean;
  /** What is unread, and what is being made. */
  bytes: number;
  readonly readers: Map<C, Unread>;
}

/**
 * Counts the answers that are made and not read, by token: what one token leaves unread takes no room of another's, and all tokens but
 * admins' have a bound in common, within which there is always room for one that has nothing unread.
 */
export class UnreadAnswers<C extends Reader> {
  readonly #byToken = new Map<string, Share<C>>();
  /** Tokens of which a connection was ended because it did not read, and for how many looks that counts. */
  readonly #blamed = new Map<string, number>();
  /** Of all tokens but admins'. */
  #bytes = 0;

  /** Whether one more answer may be made for this connection's token. */
  hasRoom({ identity }: C): boolean {
    return this.isWithinShare(identity) && this.#isWithinAll(identity);
  }

  /** Whether the token has less unread than it may, whatever the others have. */
  isWithinShare({ tokenHash, scope }: TokenIdentity): boolean {
    const most = scope === 'admin' ? MAX_UNREAD_BYTES.admin : MAX_UNREAD_BYTES.other;
    return (this.#byToken.get(tokenHash)?.bytes ?? 0) < most;
  }

  /** Whether the token has something unread, is being answered, or was blamed not long ago: one that does not gets room before it. */
  hasAny({ tokenHash }: TokenIdentity): boolean {
    return this.#byToken.has(tokenHash) || this.#blamed.has(tokenHash);
  }

  /** A connection of this token was ended because it did not read. */
  blame({ tokenHash }: TokenIdentity, lookCount: number): void {
    this.#blamed.set(tokenHash, lookCount);
  }

  #isWithinAll(identity: TokenIdentity): boolean {
    if (identity.scope === 'admin' || this.#bytes < MAX_UNREAD_BYTES_IN_ALL) return true;
    return !this.hasAny(identity) && this.#bytes < MAX_UNREAD_BYTES_IN_ALL + SPARE_BYTES;
  }

  /** An answer is being made that may come to so many bytes. */
  begin({ identity }: C, mostBytes: number): void {
    this.#add(identity, mostBytes);
  }

  /** It has been handed to the connection. */
  end(connection: C, mostBytes: number): void {
    this.#add(connection.identity, -mostBytes);
    this.#count(connection, true);
  }

  /** The client has read, or is gone. Returns whether that made room. */
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

  /** Counts one more look at each reader. */
  look(): void {
    for (const { readers } of this.#byToken.values())
      for (const unread of readers.values()) unread.lookCount += 1;
    for (const [tokenHash, lookCount] of this.#blamed)
      if (lookCount > 1) this.#blamed.set(tokenHash, lookCount - 1);
      else this.#blamed.delete(tokenHash);
  }

  /** Clients of a token with unread answers. */
  laggingOf(tokenHash: string): Lagging<C>[] {
    const { readers = new Map<C, Unread>() } = this.#byToken.get(tokenHash) ?? {};
    return Array.from(readers, ([connection, { lookCount, takenBefore }]) => ({
      connection,
      lookCount,
      takenBytes: connection.takenBytes - takenBefore,
    }));
  }

  /** The tokens with something unread, admins' aside: the one with the most first. */
  fullest(): string[] {
    return [...this.#byToken]
      .filter(([, { isAdmin, readers }]) => !isAdmin && readers.size > 0)
      .toSorted(([, one], [, other]) => other.bytes - one.bytes)
      .map(([tokenHash]) => tokenHash);
  }

  /** The readers of a token that are there get as much time again. */
  spare(tokenHash: string): void {
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
