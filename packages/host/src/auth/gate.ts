import { homedir } from 'node:os';
import type { Clock } from '../lib/clock.ts';
import type { AccessTokens, TokenIdentity } from './access-tokens.ts';
import { addressName, isLoopbackName } from './address-name.ts';
import { BrowserSignIns } from './browser-sign-ins.ts';
import type { GuessLimit } from './guess-limit.ts';
import { IssuedSecrets } from './issued-secrets.ts';
import { hashToken, isToken } from './verify.ts';

/** Tokens of at least this length cannot be guessed. They are accepted while wrong tokens from the same address are throttled. */
const UNGUESSABLE_LENGTH = 32;

/** Tickets of sign-ins that a person must confirm. */
const TICKETS = { prefix: 'ahc_', mostPerToken: 16, lifetimeMs: 600_000 };

/** Result of a check of a token. */
export type Admission =
  | { readonly isIn: true; readonly identity: TokenIdentity }
  /** `waitMs`: time until the next attempt is accepted; 0: at once. */
  | { readonly isIn: false; readonly reason: string; readonly waitMs: number };

const WRONG_TOKEN = 'a valid token is required: this one is wrong, or was revoked or has expired';

/** Checks owner's tokens, access tokens and session secrets [AUTH-1]. */
export class Gate {
  readonly #ownerToken: string;
  readonly #tokens: Pick<AccessTokens, 'identify' | 'isValid'>;
  readonly #guesses: GuessLimit;
  readonly #tokenPath: string | undefined;
  readonly #browsers: BrowserSignIns;
  readonly #tickets: IssuedSecrets;

  constructor(parts: {
    ownerToken: string;
    tokens: Pick<AccessTokens, 'identify' | 'isValid'>;
    guesses: GuessLimit;
    clock: Clock;
    /** File of the owner's token; absent when the token is not in a file. */
    tokenPath?: string | undefined;
    /** The sign-ins of browsers. Default: new ones that end with the host. */
    browsers?: BrowserSignIns;
  }) {
    this.#ownerToken = parts.ownerToken;
    this.#tokens = parts.tokens;
    this.#guesses = parts.guesses;
    this.#tokenPath = parts.tokenPath;
    this.#browsers = parts.browsers ?? new BrowserSignIns(parts.clock);
    this.#tickets = new IssuedSecrets(TICKETS, parts.clock);
    this.#browsers.keepOnly((tokenHash) => this.#isValid(tokenHash));
  }

  /** `address`: remote address. */
  admit(secret: string | undefined, address: string | undefined): Admission {
    const waitMs = this.#guesses.waitMs(address);
    const identity = secret === undefined ? undefined : this.#identify(secret, waitMs > 0);
    if (identity !== undefined) return { isIn: true, identity };
    if (waitMs > 0)
      return {
        isIn: false,
        reason: `too many wrong tokens came from here: wait ${Math.ceil(waitMs / 1_000)} s`,
        waitMs,
      };
    // A request without a token is not a guess.
    if (secret !== undefined) this.#guesses.failed(address);
    const reason = secret === undefined ? tokenRequired(this.#tokenPath, address) : WRONG_TOKEN;
    return { isIn: false, reason, waitMs: 0 };
  }

  /** Creates a session secret for a browser, in place of the token. It ends by {@link signOut}, with the token, and after 90 days without use. */
  signIn(identity: TokenIdentity): string {
    this.#browsers.keepOnly((tokenHash) => this.#isValid(tokenHash));
    return this.#browsers.begin(identity);
  }

  /** The identity behind a session secret of {@link signIn}; `undefined` when it is unknown or no longer valid. Does not count as a guess. */
  signedIn(secret: string | undefined): TokenIdentity | undefined {
    return secret === undefined ? undefined : this.#stillIn(this.#browsers.find(secret));
  }

  /** Creates a ticket for a sign-in by link, which a person must confirm within ten minutes. It works once. */
  askToSignIn(identity: TokenIdentity): string {
    return this.#tickets.begin(identity);
  }

  /** The identity behind a ticket; `undefined` when it is unknown, used or no longer valid. */
  whoseTicket(ticket: string): TokenIdentity | undefined {
    return this.#stillIn(this.#tickets.find(ticket));
  }

  /** Ends a ticket. Does nothing for an unknown one. */
  endTicket(ticket: string): void {
    this.#tickets.end(ticket);
  }

  /** Ends a session secret. Does nothing for a token. */
  signOut(secret: string): void {
    this.#browsers.end(secret);
  }

  /** A sentence about the place of the owner's token, for a caller at this remote address. */
  tokenPlace(address: string | undefined): string {
    return tokenPlace(this.#tokenPath, address);
  }

  #identify(secret: string, isSlowed: boolean): TokenIdentity | undefined {
    if (isToken(secret, this.#ownerToken)) {
      // A short token that is right could be a lucky guess.
      if (isSlowed && secret.length < UNGUESSABLE_LENGTH) return undefined;
      return { tokenHash: hashToken(secret), scope: 'admin' };
    }
    const session = this.#browsers.find(secret);
    return session === undefined ? this.#tokens.identify(secret) : this.#stillIn(session);
  }

  #stillIn(identity: TokenIdentity | undefined): TokenIdentity | undefined {
    return identity !== undefined && this.#isValid(identity.tokenHash) ? identity : undefined;
  }

  #isValid(tokenHash: string): boolean {
    return tokenHash === hashToken(this.#ownerToken) || this.#tokens.isValid(tokenHash);
  }
}

/**
 * The reason for refusing a request without a token, and how to send one. `path` and `address` as in {@link tokenPlace}.
 */
export const tokenRequired = (path: string | undefined, address: string | undefined): string =>
  `a token is required: send \`Authorization: Bearer <token>\`, or add \`?token=<token>\` to the address; ${tokenPlace(path, address)}`;

/**
 * Where the owner's token is. `path`: its file; absent when it is in none. Only callers on this machine learn the path, with `~` for the home
 * folder.
 */
export function tokenPlace(path: string | undefined, address: string | undefined): string {
  if (path === undefined) return "the person who started the host has the owner's token";
  if (!isLoopbackName(addressName(address)))
    return "the owner's token is in `owner-token` in the data folder of the host";
  const home = homedir();
  return `the owner's token is in ${path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path}`;
}
