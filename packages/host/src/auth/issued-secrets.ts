import { randomBytes } from 'node:crypto';
import { type Clock, steadyNow } from '../lib/clock.ts';
import type { TokenIdentity } from './access-tokens.ts';
import { hashToken } from './verify.ts';

/** What kind of secrets these are. */
interface Kind {
  /** What they begin with, so that people and scanners know them when they see one. */
  readonly prefix: string;
  /** Kept at once for one token; the oldest of that token is forgotten first. */
  readonly mostPerToken: number;
  readonly lifetimeMs: number;
}

/**
 * Secrets that stand for somebody who was let in, so that the token itself is not handed around. Each ends when it is ended, with its time, and
 * with the host: only hashes are kept, in memory. Whether the token behind one still holds is for the caller to see.
 */
export class IssuedSecrets {
  readonly #kind: Kind;
  readonly #clock: Clock;
  /** By hash of the secret. */
  readonly #issued = new Map<string, { readonly identity: TokenIdentity; readonly endsAt: number }>();
  /** Hashes of the secrets of each token, by the token's hash, the oldest first: no token pushes out those of another. */
  readonly #byToken = new Map<string, Set<string>>();

  constructor(kind: Kind, clock: Clock) {
    this.#kind = kind;
    this.#clock = clock;
  }

  /** A new secret. */
  begin(identity: TokenIdentity): string {
    const { prefix, mostPerToken, lifetimeMs } = this.#kind;
    const secret = `${prefix}${randomBytes(32).toString('base64url')}`;
    const hash = hashToken(secret);
    const ofToken = this.#byToken.get(identity.tokenHash) ?? new Set();
    this.#byToken.set(identity.tokenHash, ofToken.add(hash));
    this.#issued.set(hash, { identity, endsAt: steadyNow(this.#clock) + lifetimeMs });
    const [oldest] = ofToken;
    if (ofToken.size > mostPerToken && oldest !== undefined) this.#forget(oldest);
    return secret;
  }

  /** Who has this secret. */
  find(secret: string): TokenIdentity | undefined {
    const found = this.#issued.get(hashToken(secret));
    return found === undefined || found.endsAt <= steadyNow(this.#clock) ? undefined : found.identity;
  }

  /** Does nothing for what is no secret of these. */
  end(secret: string): void {
    this.#forget(hashToken(secret));
  }

  #forget(hash: string): void {
    const tokenHash = this.#issued.get(hash)?.identity.tokenHash ?? '';
    const ofToken = this.#byToken.get(tokenHash);
    ofToken?.delete(hash);
    if (ofToken?.size === 0) this.#byToken.delete(tokenHash);
    this.#issued.delete(hash);
  }
}
