import { randomBytes } from 'node:crypto';
import { type Clock, steadyNow } from '../lib/clock.ts';
import type { TokenIdentity } from './access-tokens.ts';
import { hashToken } from './verify.ts';

/** A kind of secret. */
interface Kind {
  /** Prefix of the secrets, so that people and scanners recognize them. */
  readonly prefix: string;
  /** Limit for one token. Beyond it, the oldest secret of that token is dropped. */
  readonly mostPerToken: number;
  readonly lifetimeMs: number;
}

/**
 * Secrets that stand for a token, so that the token itself is not passed on. A secret ends when `end` is called, after its lifetime, and with
 * the host. Only hashes are kept, in memory. The caller checks whether the token behind a secret is still valid.
 */
export class IssuedSecrets {
  readonly #kind: Kind;
  readonly #clock: Clock;
  /** By hash of the secret. */
  readonly #issued = new Map<string, { readonly identity: TokenIdentity; readonly endsAt: number }>();
  /** Hashes of the secrets of each token, by the token's hash, oldest first. The limit of one token does not affect others. */
  readonly #byToken = new Map<string, Set<string>>();

  constructor(kind: Kind, clock: Clock) {
    this.#kind = kind;
    this.#clock = clock;
  }

  /** Creates a secret. */
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

  /** The identity behind a secret; `undefined` when there is none. */
  find(secret: string): TokenIdentity | undefined {
    const found = this.#issued.get(hashToken(secret));
    return found === undefined || found.endsAt <= steadyNow(this.#clock) ? undefined : found.identity;
  }

  /** Ends a secret. Does nothing for an unknown one. */
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
