import { randomBytes } from 'node:crypto';
import { type Clock, steadyNow } from '../lib/clock.ts';
import type { TokenIdentity } from './access-tokens.ts';
import { hashToken } from './verify.ts';

/** What kind of secrets these are. */
interface Kind {
  /** What they begin with, so that people and scanners know them when they see one. */
  readonly prefix: string;
  /** Kept at once; the oldest is forgotten first. */
  readonly most: number;
  readonly lifetimeMs: number;
}

/**
 * Secrets that stand for somebody who was let in, so that the token itself is not handed around. Each ends when it is ended, with its time, and
 * with the host: only hashes are kept, in memory. Whether the token behind one still holds is for the caller to see.
 */
export class IssuedSecrets {
  readonly #kind: Kind;
  readonly #clock: Clock;
  /** By hash of the secret, the oldest first. */
  readonly #issued = new Map<string, { readonly identity: TokenIdentity; readonly endsAt: number }>();

  constructor(kind: Kind, clock: Clock) {
    this.#kind = kind;
    this.#clock = clock;
  }

  /** A new secret. */
  begin(identity: TokenIdentity): string {
    const { prefix, most, lifetimeMs } = this.#kind;
    const secret = `${prefix}${randomBytes(32).toString('base64url')}`;
    this.#issued.set(hashToken(secret), { identity, endsAt: steadyNow(this.#clock) + lifetimeMs });
    const [oldest] = this.#issued.keys();
    if (this.#issued.size > most && oldest !== undefined) this.#issued.delete(oldest);
    return secret;
  }

  /** Who has this secret. */
  find(secret: string): TokenIdentity | undefined {
    const found = this.#issued.get(hashToken(secret));
    return found === undefined || found.endsAt <= steadyNow(this.#clock) ? undefined : found.identity;
  }

  /** Does nothing for what is no secret of these. */
  end(secret: string): void {
    this.#issued.delete(hashToken(secret));
  }
}
