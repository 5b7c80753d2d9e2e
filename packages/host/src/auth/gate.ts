import type { AccessTokens, TokenIdentity } from './access-tokens.ts';
import { BrowserSessions } from './browser-sessions.ts';
import type { GuessLimit } from './guess-limit.ts';
import { hashToken, isToken } from './verify.ts';

/** A token that long is found by no guessing, however fast: whoever has it is let in while others at their address are slowed. */
const UNGUESSABLE_LENGTH = 32;

/** Whether somebody may come in. */
export type Admission =
  | { readonly isIn: true; readonly identity: TokenIdentity }
  /** `waitMs`: when to come back; 0: as they like. */
  | { readonly isIn: false; readonly reason: string; readonly waitMs: number };

const NO_TOKEN =
  'a token is required: the host shows its own when it starts, and makes others by `agenthost token`';
const WRONG_TOKEN = 'a valid token is required: this one is wrong, or was revoked or has expired';

/** Decides who comes in, by what they show [AUTH-1]. */
export class Gate {
  readonly #ownerToken: string;
  readonly #tokens: Pick<AccessTokens, 'identify' | 'isValid'>;
  readonly #guesses: GuessLimit;
  readonly #sessions = new BrowserSessions();

  constructor(parts: {
    ownerToken: string;
    tokens: Pick<AccessTokens, 'identify' | 'isValid'>;
    guesses: GuessLimit;
  }) {
    this.#ownerToken = parts.ownerToken;
    this.#tokens = parts.tokens;
    this.#guesses = parts.guesses;
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
    return { isIn: false, reason: secret === undefined ? NO_TOKEN : WRONG_TOKEN, waitMs: 0 };
  }

  /** A secret for the browser of somebody who was let in, in place of the token. */
  signIn(identity: TokenIdentity): string {
    return this.#sessions.begin(identity);
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
    if (session === undefined) return this.#tokens.identify(secret);
    const isOwner = session.tokenHash === hashToken(this.#ownerToken);
    return isOwner || this.#tokens.isValid(session.tokenHash) ? session : undefined;
  }
}
