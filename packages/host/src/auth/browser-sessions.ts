import { randomBytes } from 'node:crypto';
import type { TokenIdentity } from './access-tokens.ts';
import { hashToken } from './verify.ts';

/** More than anybody signs in from; the oldest is forgotten first. */
const MAX_SESSIONS = 1_000;
/** What secrets begin with, so that people and scanners know them when they see one. */
const PREFIX = 'ahs_';

/**
 * The secrets of browsers that signed in: what a browser keeps, and may show to somebody else's server on the same name, is not the token itself.
 * Each ends by signing out, with its token, and with the host: only hashes are kept, in memory.
 */
export class BrowserSessions {
  /** By hash of the secret, the oldest first. */
  readonly #identities = new Map<string, TokenIdentity>();

  /** A new secret that stands for whoever signed in. */
  begin(identity: TokenIdentity): string {
    const secret = `${PREFIX}${randomBytes(32).toString('base64url')}`;
    this.#identities.set(hashToken(secret), identity);
    const [oldest] = this.#identities.keys();
    if (this.#identities.size > MAX_SESSIONS && oldest !== undefined) this.#identities.delete(oldest);
    return secret;
  }

  /** Who has this secret; whether their token still holds is for the caller to see. */
  find(secret: string): TokenIdentity | undefined {
    return this.#identities.get(hashToken(secret));
  }

  /** Does nothing for what is no secret of these. */
  end(secret: string): void {
    this.#identities.delete(hashToken(secret));
  }
}
