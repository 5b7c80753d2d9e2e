import { homedir } from 'node:os';
import type { Clock } from '../lib/clock.ts';
import type { AccessTokens, TokenIdentity } from './access-tokens.ts';
import { addressName, isLoopbackName } from './address-name.ts';
import type { GuessLimit } from './guess-limit.ts';
import { IssuedSecrets } from './issued-secrets.ts';
import { hashToken, isToken } from './verify.ts';

/** A token that long is found by no guessing, however fast: whoever has it is let in while others at their address are slowed. */
const UNGUESSABLE_LENGTH = 32;

/** What browsers that signed in keep; more than anybody signs in from by one token. */
const SESSIONS = { prefix: 'ahs_', mostPerToken: 100, lifetimeMs: Infinity };
/** What stands for a sign-in that a person has yet to confirm. */
const TICKETS = { prefix: 'ahc_', mostPerToken: 16, lifetimeMs: 600_000 };

/** Whether somebody may come in. */
export type Admission =
  | { readonly isIn: true; readonly identity: TokenIdentity }
  /** `waitMs`: when to come back; 0: as they like. */
  | { readonly isIn: false; readonly reason: string; readonly waitMs: number };

const WRONG_TOKEN = 'a valid token is required: this one is wrong, or was revoked or has expired';

/** Decides who comes in, by what they show [AUTH-1]. */
export class Gate {
  readonly #ownerToken: string;
  readonly #tokens: Pick<AccessTokens, 'identify' | 'isValid'>;
  readonly #guesses: GuessLimit;
  readonly #tokenPath: string | undefined;
  readonly #sessions: IssuedSecrets;
  readonly #tickets: IssuedSecrets;

  constructor(parts: {
    ownerToken: string;
    tokens: Pick<AccessTokens, 'identify' | 'isValid'>;
    guesses: GuessLimit;
    clock: Clock;
    /** File of the owner's token; absent: it is in none. */
    tokenPath?: string | undefined;
  }) {
    this.#ownerToken = parts.ownerToken;
    this.#tokens = parts.tokens;
    this.#guesses = parts.guesses;
    this.#tokenPath = parts.tokenPath;
    this.#sessions = new IssuedSecrets(SESSIONS, parts.clock);
    this.#tickets = new IssuedSecrets(TICKETS, parts.clock);
  }

  /** `address`: of the other end. */
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
    // Who shows nothing guesses nothing.
    if (secret !== undefined) this.#guesses.failed(address);
    const reason = secret === undefined ? tokenRequired(this.#tokenPath, address) : WRONG_TOKEN;
    return { isIn: false, reason, waitMs: 0 };
  }

  /** A secret for the browser of somebody who was let in, in place of the token. */
  signIn(identity: TokenIdentity): string {
    return this.#sessions.begin(identity);
  }

  /** Who a browser is signed in as that shows this secret of {@link signIn}; `undefined`: nobody, or not any more. Counts as no guess. */
  signedIn(secret: string | undefined): TokenIdentity | undefined {
    return secret === undefined ? undefined : this.#stillIn(this.#sessions.find(secret));
  }

  /** A ticket for somebody who was let in by a link that a person has to agree to: it signs in once, within ten minutes, when a person says so. */
  askToSignIn(identity: TokenIdentity): string {
    return this.#tickets.begin(identity);
  }

  /** Who would be signed in by this ticket; `undefined`: nobody, or not any more. */
  whoseTicket(ticket: string): TokenIdentity | undefined {
    return this.#stillIn(this.#tickets.find(ticket));
  }

  /** {@link signIn} by a ticket, which is used up; `undefined` where {@link whoseTicket} is. */
  signInBy(ticket: string): string | undefined {
    const identity = this.whoseTicket(ticket);
    this.#tickets.end(ticket);
    return identity === undefined ? undefined : this.signIn(identity);
  }

  /** Ends the secret of a browser; one that is a token stays. */
  signOut(secret: string): void {
    this.#sessions.end(secret);
  }

  #identify(secret: string, isSlowed: boolean): TokenIdentity | undefined {
    if (isToken(secret, this.#ownerToken)) {
      // Not even the right one, where it could have been guessed.
      if (isSlowed && secret.length < UNGUESSABLE_LENGTH) return undefined;
      return { tokenHash: hashToken(secret), scope: 'admin' };
    }
    const session = this.#sessions.find(secret);
    return session === undefined ? this.#tokens.identify(secret) : this.#stillIn(session);
  }

  #stillIn(identity: TokenIdentity | undefined): TokenIdentity | undefined {
    if (identity === undefined || identity.tokenHash === hashToken(this.#ownerToken)) return identity;
    return this.#tokens.isValid(identity.tokenHash) ? identity : undefined;
  }
}

/**
 * The reason for refusing a request without a token, and how to send one. `path`: file of the owner's token. Only callers on this machine
 * learn it, with `~` for the home folder.
 */
export function tokenRequired(path: string | undefined, address: string | undefined): string {
  const how =
    'a token is required: send `Authorization: Bearer <token>`, or add `?token=<token>` to the address';
  if (path === undefined) return `${how}; whoever started the host gave it the owner's token`;
  if (!isLoopbackName(addressName(address)))
    return `${how}; the owner's token is in \`owner-token\` in the data folder of the host`;
  const home = homedir();
  return `${how}; the owner's token is in ${path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path}`;
}
