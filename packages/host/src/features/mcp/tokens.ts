import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defined, errorText, hasCode } from '@agenthost/protocol/values';
import type { SignInToken } from '../../agents/tool-call.ts';
import type { Clock } from '../../lib/clock.ts';
import { ensureFolder } from '../../lib/ensure-folder.ts';
import type { Log } from '../../lib/log.ts';

const FILE = 'mcp-tokens.json';

/** How a token is renewed. */
export interface TokenRenewal {
  readonly refreshToken: string;
  /** URL of the authorization server. */
  readonly issuer: string;
  /** The identifier of the resource, which the token is for. */
  readonly resource: string;
  readonly clientId: string;
  readonly clientSecret?: string;
}

/** A token with how it is renewed. */
export interface RenewableToken extends SignInToken {
  readonly renewal?: TokenRenewal;
}

/** Gets a new token for one that has expired. Rejects with the reason; with `RenewalRefused` if another attempt cannot succeed. */
type RenewToken = (renewal: TokenRenewal) => Promise<RenewableToken>;

/** The authorization server no longer renews the token. */
export class RenewalRefused extends Error {
  override readonly name = 'RenewalRefused';
}

interface StoredToken {
  readonly token: string;
  /** ms since the epoch. Absent: unknown. */
  readonly expiresAt?: number;
  readonly scopes?: readonly string[];
  readonly renewal?: TokenRenewal;
}

/** A token is renewed this long before its end, in milliseconds. */
const RENEW_BEFORE_MS = 60_000;

/**
 * The tokens that clients have passed for remote servers, by the server's URL. Kept in a file that only this user can read, so that a restart of
 * the host asks nobody; renewed while the authorization server does it; in memory only without a data folder.
 */
export class McpTokens {
  readonly #path: string | undefined;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #tokens: Map<string, StoredToken>;
  readonly #renew: RenewToken;
  /** By URL. */
  readonly #renewing = new Map<string, Promise<string | undefined>>();
  #writing: Promise<void> = Promise.resolve();

  constructor({
    dataDir,
    clock,
    log,
    renew,
  }: {
    dataDir: string | undefined;
    clock: Clock;
    log: Log;
    renew: RenewToken;
  }) {
    this.#renew = renew;
    this.#path = dataDir === undefined ? undefined : join(dataDir, FILE);
    this.#clock = clock;
    this.#log = log;
    this.#tokens = new Map(this.#path === undefined ? [] : this.#read(this.#path));
  }

  /** The token for a request; one that is about to expire is renewed first. `undefined`: there is none, or it has expired. */
  async of(url: string): Promise<string | undefined> {
    const stored = this.#tokens.get(url);
    if (stored === undefined) return undefined;
    const left = (stored.expiresAt ?? Number.POSITIVE_INFINITY) - this.#clock.now();
    const renewed = left < RENEW_BEFORE_MS ? await this.#renewed(url, stored) : undefined;
    return renewed ?? (left <= 0 ? undefined : stored.token);
  }

  /** The token in place of one that the server has refused as expired; `undefined`: there is no other. */
  async insteadOf(url: string, refused: string): Promise<string | undefined> {
    const stored = this.#tokens.get(url);
    if (stored === undefined) return undefined;
    // Another request has renewed it.
    return stored.token === refused ? this.#renewed(url, stored) : stored.token;
  }

  /** The scopes of the present token; empty: unknown. */
  scopesOf(url: string): readonly string[] {
    return this.#tokens.get(url)?.scopes ?? [];
  }

  /** It holds at once. Resolves when it is stored, and never rejects. A file that cannot be written is logged, and the token holds until the host ends. */
  async set(url: string, { token, expiresIn, scopes, renewal }: RenewableToken): Promise<void> {
    const expiresAt = expiresIn === undefined ? undefined : this.#clock.now() + expiresIn * 1_000;
    const before = this.#tokens.get(url);
    // The same token comes a second time by those who waited for it.
    const known = before?.token === token ? before.renewal : undefined;
    this.#tokens.set(url, { token, ...defined({ expiresAt, scopes, renewal: renewal ?? known }) });
    await this.#store();
  }

  /** Requests that need the same token wait for one renewal. */
  #renewed(url: string, stored: StoredToken): Promise<string | undefined> {
    const { renewal } = stored;
    if (renewal === undefined) return Promise.resolve(undefined);
    const running = this.#renewing.get(url) ?? this.#renewNow(url, stored, renewal);
    this.#renewing.set(url, running);
    return running.finally(() => void this.#renewing.delete(url));
  }

  async #renewNow(url: string, stored: StoredToken, renewal: TokenRenewal): Promise<string | undefined> {
    try {
      const token = await this.#renew(renewal);
      await this.set(url, { ...defined({ scopes: stored.scopes }), ...token });
      return token.token;
    } catch (error) {
      this.#log.warn({ url, error: errorText(error) }, 'the token of an MCP server was not renewed');
      if (error instanceof RenewalRefused && this.#tokens.get(url) === stored) {
        const { renewal: _, ...rest } = stored;
        this.#tokens.set(url, rest);
        await this.#store();
      }
      return undefined;
    }
  }

  async #store(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    await this.#writing;
  }

  #read(path: string): [string, StoredToken][] {
    try {
      // `#write` wrote the file.
      const stored: Record<string, StoredToken> = JSON.parse(readFileSync(path, 'utf8'));
      return Object.entries(stored);
    } catch (error) {
      if (!hasCode(error, 'ENOENT'))
        this.#log.warn({ path, error: errorText(error) }, 'the tokens of MCP servers cannot be read');
      return [];
    }
  }

  async #write(): Promise<void> {
    const path = this.#path;
    if (path === undefined) return;
    const temporary = `${path}.${randomBytes(4).toString('hex')}`;
    try {
      ensureFolder(dirname(path));
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(JSON.stringify(Object.fromEntries(this.#tokens)));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, path);
    } catch (error) {
      this.#log.warn({ path, error: errorText(error) }, 'the tokens of MCP servers cannot be written');
      await rm(temporary, { force: true });
    }
  }
}
