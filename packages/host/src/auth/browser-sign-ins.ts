import { randomBytes } from 'node:crypto';
import { TOKEN_SCOPES, type TokenScope } from '@agenthost/protocol';
import type { Clock } from '../lib/clock.ts';
import type { Sync } from '../sync/sync.ts';
import type { TokenIdentity } from './access-tokens.ts';
import { hashToken } from './verify.ts';

/** Sign-ins that are not used for this time end, in days. Browsers keep the cookie for the same time. */
export const SIGN_IN_DAYS = 90;
const UNUSED_MS = SIGN_IN_DAYS * 86_400_000;
/** Precision of the time of the last use. A use within it writes nothing. */
const USED_MS = 3_600_000;
/** Limit for one token. Beyond it, the oldest sign-in of that token ends. */
const MOST_PER_TOKEN = 100;
/** Limit for all tokens. Beyond it, the oldest sign-in of the token with the most sign-ins ends. */
const MOST = 2_048;
/** Key of the journaled sign-ins. */
const KEY = 'browserSignIns';
/** Prefix of secrets, so that people and scanners recognize them. */
const PREFIX = 'ahs_';

interface SignIn {
  /** Has `signInHash`. */
  readonly identity: TokenIdentity;
  /** ms since the epoch. */
  readonly usedAt: number;
}

/** Sign-ins as journaled: for each hash of a token the times of last use by hash of the secret, the oldest sign-in first. */
type Stored = Readonly<
  Record<string, { readonly scope: string; readonly usedAt: Readonly<Record<string, number>> }>
>;

/**
 * The secrets in the cookies of browsers, each in place of a token [AUTH-1]. Only hashes are stored. The caller checks whether the token behind
 * a secret is still valid.
 */
export class BrowserSignIns {
  readonly #clock: Clock;
  readonly #save: (text: string) => void;
  /** By hash of the secret, the oldest first. */
  readonly #signIns = new Map<string, SignIn>();
  readonly #ended: ((signInHash: string) => void)[] = [];

  /** `text` is the last text that `save` got; absent: there was none. Without `save`, sign-ins end with the host. */
  constructor(clock: Clock, text?: string, save: (text: string) => void = () => undefined) {
    this.#clock = clock;
    this.#save = save;
    // Written by `#write`, below.
    const stored: Stored = text === undefined ? {} : JSON.parse(text);
    for (const [tokenHash, { scope, usedAt }] of Object.entries(stored)) {
      const known: TokenScope | undefined = TOKEN_SCOPES.find((each) => each === scope);
      if (known === undefined) continue;
      for (const [hash, at] of Object.entries(usedAt))
        this.#signIns.set(hash, { identity: { tokenHash, scope: known, signInHash: hash }, usedAt: at });
    }
  }

  /** Reads the sign-ins from the journal, and writes each change there. */
  static async load(sync: Sync): Promise<BrowserSignIns> {
    const save = (value: string): void =>
      sync.transact('host', (tx) => tx.write({ op: 'meta', key: KEY, value }));
    return new BrowserSignIns(sync.clock, await sync.journal.readMeta(KEY), save);
  }

  /** Adds a listener for sign-ins that end, with the hash of their secret. */
  onEnded(listener: (signInHash: string) => void): void {
    this.#ended.push(listener);
  }

  /** Creates a secret. */
  begin({ tokenHash, scope }: TokenIdentity): string {
    const secret = `${PREFIX}${randomBytes(32).toString('base64url')}`;
    const signInHash = hashToken(secret);
    const identity = { tokenHash, scope, signInHash };
    this.#signIns.set(signInHash, { identity, usedAt: this.#clock.now() });
    const counts = this.#countByToken();
    if ((counts.get(tokenHash) ?? 0) > MOST_PER_TOKEN) this.#endOldest(tokenHash);
    else if (this.#signIns.size > MOST) this.#endOldest(fullest(counts));
    this.#write();
    return secret;
  }

  /** The identity behind a secret; `undefined` when there is none, or when it was not used for 90 days. Counts as a use. */
  find(secret: string): TokenIdentity | undefined {
    if (!secret.startsWith(PREFIX)) return undefined;
    const hash = hashToken(secret);
    const found = this.#signIns.get(hash);
    if (found === undefined) return undefined;
    const now = this.#clock.now();
    if (now - found.usedAt >= UNUSED_MS) {
      this.end(secret);
      return undefined;
    }
    if (Math.abs(now - found.usedAt) >= USED_MS) {
      this.#signIns.set(hash, { ...found, usedAt: now });
      this.#write();
    }
    return found.identity;
  }

  /** Ends a secret. Does nothing for an unknown one. */
  end(secret: string): void {
    if (this.#delete(hashToken(secret))) this.#write();
  }

  /** Ends the secrets of all tokens that are not valid. */
  keepOnly(isValid: (tokenHash: string) => boolean): void {
    const { size } = this.#signIns;
    for (const [hash, { identity }] of this.#signIns) if (!isValid(identity.tokenHash)) this.#delete(hash);
    if (this.#signIns.size < size) this.#write();
  }

  #countByToken(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { identity } of this.#signIns.values())
      counts.set(identity.tokenHash, (counts.get(identity.tokenHash) ?? 0) + 1);
    return counts;
  }

  #endOldest(tokenHash: string | undefined): void {
    for (const [hash, { identity }] of this.#signIns) {
      if (identity.tokenHash !== tokenHash) continue;
      this.#delete(hash);
      return;
    }
  }

  #delete(hash: string): boolean {
    const wasThere = this.#signIns.delete(hash);
    if (wasThere) for (const listener of this.#ended) listener(hash);
    return wasThere;
  }

  #write(): void {
    const stored: Record<string, { scope: string; usedAt: Record<string, number> }> = {};
    for (const [hash, { identity, usedAt }] of this.#signIns) {
      stored[identity.tokenHash] ??= { scope: identity.scope, usedAt: {} };
      Object.assign(stored[identity.tokenHash]?.usedAt ?? {}, { [hash]: usedAt });
    }
    this.#save(JSON.stringify(stored));
  }
}

/** The token with the most sign-ins. */
function fullest(counts: ReadonlyMap<string, number>): string | undefined {
  const [first] = [...counts].toSorted(([, one], [, other]) => other - one);
  return first?.[0];
}
