import { randomBytes } from 'node:crypto';
import {
  type AccessToken,
  CLOSE_CODES,
  type CreateTokenParams,
  TOKEN_SCOPES,
  type TokenScope,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { StoredToken } from '../journal/rows.ts';
import type { Cancel, Clock, Ids, Timers } from '../lib/clock.ts';
import type { Sync } from '../sync/sync.ts';
import type { People } from './people.ts';
import { hashToken } from './verify.ts';

/** Limit of tokens of one host. */
export const MAX_TOKENS = 1_000;
/** Limit of tokens from sign-ins of one person. Above it, the oldest one ends. */
const MAX_SIGN_INS = 20;
/** Precision of `lastUsedAt`. */
const USED_MS = 60_000;
/** Interval of checks for expired tokens. A timer for each would miss clocks that jump, and timers are limited to 24 days. */
const LOOK_MS = 60_000;
/** Key of the journaled ids of expired tokens. */
const EXPIRED_KEY = 'expiredTokens';
/** Prefix of secrets, so that people and scanners recognize them. */
const PREFIX = 'aht_';

/** The token behind a connection or request [AUTH-1]. */
export interface TokenIdentity {
  /** Hash of the token: a client id belongs to the token that used it first. */
  readonly tokenHash: string;
  /** The rights that the token gives. Only `admin` may use any working directory and manage the host. */
  readonly scope: TokenScope;
  /** Hash of the secret of the browser's sign-in. Absent: the caller sent the token itself. */
  readonly signInHash?: string;
}

/** Close code and reason for connections of a revoked token. */
export const TOKEN_REVOKED = { code: CLOSE_CODES.unauthorized, reason: 'the token was revoked' } as const;

/** Close code and reason for connections of an expired token. */
export const TOKEN_EXPIRED = { code: CLOSE_CODES.unauthorized, reason: 'the token has expired' } as const;

/** Close code and reason for connections of a browser whose sign-in has ended. */
export const SIGNED_OUT = { code: CLOSE_CODES.unauthorized, reason: 'the browser was signed out' } as const;

/**
 * Called when a token has ended: it is revoked, or has expired. `revoking`: the connection that revoked the token; it still gets
 * its answer.
 */
type EndedListener = (tokenHash: string, isRevoked: boolean, revoking?: object) => void;

interface Parts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly sync: Sync;
  readonly people: People;
}

/**
 * The access tokens of a host beside its owner's [AUTH-1]. A secret has 256 random bits. The host stores its SHA-256 and looks
 * it up by that, so the duration of a lookup reveals nothing about a secret.
 */
export class AccessTokens {
  readonly #parts: Parts;
  /** By hash, in order of creation. */
  readonly #byHash: Map<string, StoredToken>;
  /** Ids of expired tokens. A token stays expired when the clock is set back, also after a restart. */
  readonly #expired: Set<string>;
  #cancelLook: Cancel | undefined;
  readonly #ended: EndedListener[] = [];
  #isOver = false;

  private constructor(parts: Parts, rows: readonly StoredToken[], expired: readonly string[]) {
    this.#parts = parts;
    this.#byHash = new Map(rows.map((row) => [row.hash, row]));
    this.#expired = new Set(expired.filter((id) => rows.some((row) => row.id === id)));
    this.#markExpired(parts.clock.now());
    this.#lookLater();
  }

  static async load(parts: Parts): Promise<AccessTokens> {
    const { journal } = parts.sync;
    const text = await journal.readMeta(EXPIRED_KEY);
    // Written by `#markExpired`, below.
    const expired: string[] = text === undefined ? [] : JSON.parse(text);
    return new AccessTokens(parts, await journal.listTokens(), expired);
  }

  /** Adds a listener for tokens that end. */
  onEnded(listener: EndedListener): void {
    this.#ended.push(listener);
  }

  /** The identity behind a secret; `undefined` for an unknown, revoked or expired one. Updates `lastUsedAt`. */
  identify(secret: string): TokenIdentity | undefined {
    const token = this.#byHash.get(hashToken(secret));
    const scope = TOKEN_SCOPES.find((each) => each === token?.scope);
    if (token === undefined || scope === undefined || this.#hasExpired(token)) return undefined;
    this.#used(token);
    return { tokenHash: token.hash, scope };
  }

  /** Whether this is the hash of an expired token. Other tokens may then take over its client ids. */
  isExpired(tokenHash: string): boolean {
    const token = this.#byHash.get(tokenHash);
    return token !== undefined && this.#hasExpired(token);
  }

  /** Whether this is the hash of a valid token. */
  isValid(tokenHash: string): boolean {
    const token = this.#byHash.get(tokenHash);
    return token !== undefined && !this.#hasExpired(token);
  }

  /** The person of the token with this hash; `undefined`: it has none. */
  personOf(tokenHash: string): string | undefined {
    const token = this.#byHash.get(tokenHash);
    return token && this.#parts.people.personOf(token.id);
  }

  /** The tokens, the oldest first. */
  list(): AccessToken[] {
    return [...this.#byHash.values()].map((token) => this.#shown(token));
  }

  /** Creates a token. Resolves when it is durable, and rejects if it cannot be written now. `undefined` at {@link MAX_TOKENS}, or for a used name. */
  async create({
    name,
    person,
    scope = 'observe',
    lifetimeSeconds,
    isSignIn = false,
  }: Pick<CreateTokenParams, 'name' | 'person' | 'scope' | 'lifetimeSeconds'> & {
    isSignIn?: boolean;
  }): Promise<{ readonly token: AccessToken; readonly secret: string } | undefined> {
    const isTaken = name !== undefined && [...this.#byHash.values()].some((token) => token.name === name);
    if (isTaken || this.#byHash.size >= MAX_TOKENS) return undefined;
    const secret = `${PREFIX}${randomBytes(32).toString('base64url')}`;
    const now = this.#parts.clock.now();
    const token: StoredToken = {
      id: this.#parts.ids.next(),
      hash: hashToken(secret),
      scope,
      createdAt: now,
      ...defined({
        name,
        expiresAt: lifetimeSeconds === undefined ? undefined : now + lifetimeSeconds * 1_000,
      }),
    };
    this.#byHash.set(token.hash, token);
    this.#lookLater();
    try {
      await this.#parts.sync.commit('client', (tx) => {
        tx.write({ op: 'token', ...token });
        if (person === undefined) return;
        this.#parts.people.give(token.id, person, isSignIn);
        tx.write(this.#parts.people.row());
      });
    } catch (error) {
      // The caller does not get the secret.
      this.#byHash.delete(token.hash);
      this.#parts.people.forget(token.id);
      throw error;
    }
    return { token: this.#shown(token), secret };
  }

  /**
   * Creates the token of a sign-in of a person. No client gets its secret: the browser gets a secret of its own. Removes expired tokens of sign-ins,
   * and the oldest ones above {@link MAX_SIGN_INS} of the person. Resolves and rejects as `create`.
   */
  async createSignIn(params: {
    readonly person: string;
    readonly scope: TokenScope;
    readonly lifetimeSeconds: number;
  }): Promise<TokenIdentity | undefined> {
    const { people } = this.#parts;
    const signIns = [...this.#byHash.values()].filter(({ id }) => people.isSignIn(id));
    const expired = signIns.filter((token) => this.#hasExpired(token));
    const own = signIns.filter(
      (token) => !expired.includes(token) && people.personOf(token.id) === params.person,
    );
    const superfluous = own.slice(0, Math.max(0, own.length + 1 - MAX_SIGN_INS));
    for (const { id } of [...expired, ...superfluous]) await this.revoke(id, this);
    const made = await this.create({ ...params, isSignIn: true });
    return made && { tokenHash: hashToken(made.secret), scope: params.scope };
  }

  /**
   * Ends a token at once. `revoking`: the connection that revokes it. `isDurable` is false while the journal cannot be written: the revocation
   * is written later, and a restart before that brings the token back. Resolves with `undefined` for an unknown id.
   */
  async revoke(
    id: string,
    revoking: object,
  ): Promise<{ readonly tokenHash: string; readonly isDurable: boolean } | undefined> {
    const token = [...this.#byHash.values()].find((each) => each.id === id);
    if (token === undefined) return undefined;
    this.#byHash.delete(token.hash);
    this.#expired.delete(id);
    const hadPerson = this.#parts.people.forget(id);
    const written = this.#parts.sync.attempt((tx) => {
      tx.write({ op: 'dropToken', id });
      // The write may be tried again later: it then writes the people of that time.
      if (hadPerson) tx.write(this.#parts.people.row());
    });
    for (const listener of this.#ended) listener(token.hash, true, revoking);
    return { tokenHash: token.hash, isDurable: await written };
  }

  /** Cancels the timer and starts no other. */
  end(): void {
    this.#isOver = true;
    this.#cancelLook?.();
  }

  #shown({ id, name, scope, createdAt, lastUsedAt, expiresAt }: StoredToken): AccessToken {
    return {
      id,
      ...defined({ name, person: this.#parts.people.personOf(id) }),
      ...(this.#parts.people.isSignIn(id) ? { isSignIn: true } : {}),
      // A scope of a newer host is shown as `observe`; `identify` does not accept such a token.
      scope: TOKEN_SCOPES.find((each) => each === scope) ?? 'observe',
      createdAt: isoOf(createdAt),
      ...defined({
        lastUsedAt: lastUsedAt === undefined ? undefined : isoOf(lastUsedAt),
        expiresAt: expiresAt === undefined ? undefined : isoOf(expiresAt),
      }),
    };
  }

  #hasExpired({ id, expiresAt = Infinity }: StoredToken): boolean {
    const now = this.#parts.clock.now();
    if (!this.#expired.has(id) && expiresAt <= now) this.#markExpired(now);
    return this.#expired.has(id);
  }

  /** Journals which tokens have expired at `now`. */
  #markExpired(now: number): void {
    const { size } = this.#expired;
    for (const { id, expiresAt = Infinity } of this.#byHash.values()) {
      if (expiresAt <= now) this.#expired.add(id);
    }
    if (this.#expired.size === size) return;
    const value = JSON.stringify([...this.#expired]);
    // A write that fails is tried again until the host stops. If it stops before, the next host uses only its own clock: a token
    // is valid again if that clock was set back meanwhile.
    this.#parts.sync.transact('host', (tx) => tx.write({ op: 'meta', key: EXPIRED_KEY, value }));
  }

  #used(token: StoredToken): void {
    const now = this.#parts.clock.now();
    if (token.lastUsedAt !== undefined && Math.abs(now - token.lastUsedAt) < USED_MS) return;
    const used = { ...token, lastUsedAt: now };
    this.#byHash.set(token.hash, used);
    this.#parts.sync.transact('host', (tx) => tx.write({ op: 'token', ...used }));
  }

  #lookLater(): void {
    // A new token may expire before the others.
    this.#cancelLook?.();
    if (this.#isOver) return;
    const now = this.#parts.clock.now();
    const ends = [...this.#byHash.values()].map(({ id, expiresAt = Infinity }) =>
      this.#expired.has(id) ? Infinity : expiresAt - now,
    );
    const next = Math.min(...ends.filter((ms) => ms > 0));
    if (next === Infinity) return;
    this.#cancelLook = this.#parts.timers.after(Math.min(next, LOOK_MS), () => {
      for (const token of this.#byHash.values()) {
        if (this.#hasExpired(token)) for (const listener of this.#ended) listener(token.hash, false);
      }
      this.#lookLater();
    });
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString();
