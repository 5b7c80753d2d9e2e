import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorText, hasCode } from '@agenthost/protocol/values';
import type { SignInToken } from '../../agents/tool-call.ts';
import type { Clock } from '../../lib/clock.ts';
import { ensureFolder } from '../../lib/ensure-folder.ts';
import type { Log } from '../../lib/log.ts';

const FILE = 'mcp-tokens.json';

interface StoredToken {
  readonly token: string;
  /** ms since the epoch. Absent: unknown. */
  readonly expiresAt?: number;
}

/**
 * The tokens that clients have passed for remote servers, by the server's URL. Kept in a file that only this user can read, so that a restart of
 * the host asks nobody; in memory only without a data folder.
 */
export class McpTokens {
  readonly #path: string | undefined;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #tokens: Map<string, StoredToken>;
  #writing: Promise<void> = Promise.resolve();

  constructor({ dataDir, clock, log }: { dataDir: string | undefined; clock: Clock; log: Log }) {
    this.#path = dataDir === undefined ? undefined : join(dataDir, FILE);
    this.#clock = clock;
    this.#log = log;
    this.#tokens = new Map(this.#path === undefined ? [] : this.#read(this.#path));
  }

  /** `undefined`: there is none, or it has expired. */
  of(url: string): string | undefined {
    const stored = this.#tokens.get(url);
    if (stored === undefined) return undefined;
    const isExpired = stored.expiresAt !== undefined && stored.expiresAt <= this.#clock.now();
    return isExpired ? undefined : stored.token;
  }

  /** Resolves when it is stored. A file that cannot be written is logged, and the token holds until the host ends. */
  async set(url: string, { token, expiresIn }: SignInToken): Promise<void> {
    const expiresAt = expiresIn === undefined ? undefined : this.#clock.now() + expiresIn * 1_000;
    this.#tokens.set(url, { token, ...(expiresAt === undefined ? {} : { expiresAt }) });
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
