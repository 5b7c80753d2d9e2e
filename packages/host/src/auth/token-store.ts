import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureFolder } from '../lib/ensure-folder.ts';

/** Where the owner's token may come from, first one first. */
export interface TokenSources {
  /** Given in code. */
  readonly token?: string | undefined;
  /** A file that holds the token, made on first use. */
  readonly tokenFile?: string | undefined;
  /** The data folder, whose `owner-token` is used in place of `tokenFile`. Without either the token lives in memory only. */
  readonly dataDir?: string | undefined;
}

/** The owner's token, and what people should know about it. */
export interface OwnerToken {
  readonly token: string;
  /** The file that holds it. */
  readonly path?: string;
  /** Sentences for the log. */
  readonly warnings: readonly string[];
}

/** Shorter ones can be guessed over the network. */
const weakLength = 16;

/**
 * Finds the owner's token, or makes one of 32 random bytes in a file of mode 0600 [AUTH-1]. A file that others can read is taken
 * from them and used with a warning, since it may have been read; where its mode cannot be changed (a read-only mount of
 * secrets), it is used with a warning too. Throws an `Error` that names the source for a token that no header could carry, and for
 * a file that cannot be read or made.
 */
export function findOwnerToken(sources: TokenSources): OwnerToken {
  if (sources.token !== undefined) return checked(sources.token, 'the option token');
  const path = sources.tokenFile ?? (sources.dataDir && join(sources.dataDir, 'owner-token'));
  if (path === undefined || path === '') return { token: randomToken(), warnings: [] };
  return fromFile(path);
}

function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

function checked(token: string, source: string): OwnerToken {
  if (!/^[\x21-\x3a\x3c-\x7e]+$/.test(token)) {
    throw new Error(`${source} must be printable ASCII without spaces or semicolons, and not empty`);
  }
  const warnings =
    token.length < weakLength ? [`${source} has fewer than ${weakLength} characters and can be guessed`] : [];
  return { token, warnings };
}

function fromFile(path: string): OwnerToken {
  let content = readIfPresent(path);
  if (content === undefined) {
    createFile(path, randomToken());
    content = readFileSync(path, 'utf8');
  }
  const warning = makePrivate(path);
  if (content.trim() === '') throw new Error(`${path} is empty: remove it, and a new token is made`);
  const { token, warnings } = checked(content.trim(), path);
  return { token, path, warnings: warning === undefined ? warnings : [warning, ...warnings] };
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Error(`the token file ${path} cannot be read`, { cause: error });
  }
}

/** Whole or not at all; when two hosts do this at once, both end up with the first one's token. */
function createFile(path: string, token: string): void {
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    ensureFolder(dirname(path));
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(file, `${token}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(temporary, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    throw new Error(`the token file ${path} cannot be made: check the folder's permissions`, {
      cause: error,
    });
  } finally {
    rmSync(temporary, { force: true });
  }
}

function makePrivate(path: string): string | undefined {
  // Windows has no such modes: there the user's profile folder protects the file.
  if (process.platform === 'win32' || (statSync(path).mode & 0o077) === 0) return undefined;
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    return `${path} can be read by others, and its mode cannot be changed (${codeOf(error) ?? 'unknown error'})`;
  }
  return `${path} could be read by others until now: delete it to get a new token if they are not trusted`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
