import { randomBytes } from 'node:crypto';
import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';
import {
  AccessError,
  foreignOwner,
  isOpenToOthers,
  isRoot,
  isWritableByOthers,
  kindOfFile,
} from '../lib/file-facts.ts';
import { createPrivateFile } from '../lib/private-file.ts';

/** Sources of the owner's token, in order of precedence. */
export interface TokenSources {
  /** The token itself. */
  readonly token?: string | undefined;
  /** A file with the token, created on first use. */
  readonly tokenFile?: string | undefined;
  /** The data folder, whose `owner-token` is used in place of `tokenFile`. Without any of the three, the token is kept in memory only. */
  readonly dataDir?: string | undefined;
}

/** The owner's token, with warnings for the user. */
export interface OwnerToken {
  readonly token: string;
  /** The file of the token. */
  readonly path?: string;
  /** Sentences about the token itself. */
  readonly warnings: readonly string[];
  /** Sentences about other users who could read or write the file, and the action taken. */
  readonly exposures: readonly string[];
}

/** The file of the owner's token in the data folder. */
export const OWNER_TOKEN_FILE = 'owner-token';
/** Shorter tokens can be guessed over the network. */
const WEAK_LENGTH = 16;
/** Longer files are not read. */
const LONGEST_FILE_BYTES = 4_096;

/**
 * Finds the owner's token, or creates one of 32 random bytes in a file of mode 0600 [AUTH-1]. A file that other users can read is made
 * private and used, with a warning; a file whose mode cannot be changed (a read-only mount of secrets) is used too. In the data folder, a
 * token that others could have written is replaced. Throws an `AccessError` that names the source for a token that no header can carry, a file
 * that cannot be read or created, a file of another user, and anything but a regular file. Never blocks on a named pipe.
 */
export function findOwnerToken(sources: TokenSources): OwnerToken {
  if (sources.token !== undefined) {
    return { token: sources.token, warnings: warningsOf(sources.token, 'the option token'), exposures: [] };
  }
  if (sources.tokenFile !== undefined && sources.tokenFile !== '') return fromFile(sources.tokenFile);
  if (sources.dataDir === undefined || sources.dataDir === '')
    return { token: randomToken(), warnings: [], exposures: [] };
  return fromFile(join(sources.dataDir, OWNER_TOKEN_FILE), 'own');
}

function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Throws for a token that no header can carry. */
function warningsOf(token: string, source: string): string[] {
  if (!/^[\x21-\x3a\x3c-\x7e]+$/.test(token)) {
    throw new AccessError(`${source} must be printable ASCII without spaces or semicolons, and not empty`);
  }
  return token.length < WEAK_LENGTH
    ? [`${source} has fewer than ${WEAK_LENGTH} characters and can be guessed`]
    : [];
}

/** A file that the user named, or the host's own file, which the host may replace. */
type Trust = 'named' | 'own';

function fromFile(path: string, trust: Trust = 'named'): OwnerToken {
  const found = readIfPresent(path, trust);
  if (found !== undefined && !(found.isWritable && trust === 'own')) {
    if (found.text === '')
      throw new AccessError(`${path} is empty: remove it, and the host creates a new token`);
    return { token: found.text, path, warnings: warningsOf(found.text, path), exposures: found.exposures };
  }
  if (found !== undefined) rmSync(path, { force: true });
  createFile(path, randomToken());
  const made = readIfPresent(path, trust);
  if (made === undefined)
    throw new AccessError(`the token file ${path} was removed while the host created it`);
  const exposures =
    found === undefined
      ? []
      : [`${path} could have been written by others: the host replaced the token in it`];
  return { token: made.text, path, warnings: [], exposures };
}

interface Found {
  readonly text: string;
  readonly isWritable: boolean;
  readonly exposures: readonly string[];
}

function readIfPresent(path: string, trust: Trust): Found | undefined {
  const file = openIfPresent(path, trust);
  if (file === undefined) return undefined;
  try {
    const stats = fstatSync(file);
    if (!stats.isFile())
      throw new AccessError(`${path} is ${kindOfFile(stats)}, not a token file: remove it`);
    const owner = foreignOwner(stats);
    // Root may use another user's data folder. That user could have written the file.
    const isPlanted = owner !== undefined && trust === 'own' && isRoot();
    if (owner !== undefined && !isPlanted)
      throw new AccessError(
        `${path} belongs to user ${owner}, who knows the token in it and can change it: remove it, or change its owner`,
      );
    const isWritable = isPlanted || isWritableByOthers(stats);
    if (isWritable && trust === 'named')
      throw new AccessError(
        `${path} can be written by others, so that the token in it may be theirs: put a new one in, and make its mode 0600`,
      );
    const exposure = makePrivate(file, path, 'delete it to get a new token');
    return { text: textOf(file, path), isWritable, exposures: exposure === undefined ? [] : [exposure] };
  } catch (error) {
    if (error instanceof AccessError) throw error;
    throw new AccessError(`the token file ${path} cannot be read`, { cause: error });
  } finally {
    closeSync(file);
  }
}

/** Does not block on a named pipe, and follows no link in the data folder. */
function openIfPresent(path: string, trust: Trust): number | undefined {
  // A flag that the system lacks is undefined, and counts as 0.
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;
  const flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (trust === 'named' ? 0 : O_NOFOLLOW);
  try {
    return openSync(path, flags);
  } catch (error) {
    switch (errorCode(error)) {
      case 'ENOENT':
        return undefined;
      case 'ELOOP':
        throw new AccessError(`${path} is a symbolic link, not a token file: remove it`, {
          cause: error,
        });
      case 'ENXIO':
        throw new AccessError(`${path} is a socket or device, not a token file: remove it`, {
          cause: error,
        });
      default:
        throw new AccessError(`the token file ${path} cannot be read`, { cause: error });
    }
  }
}

function textOf(file: number, path: string): string {
  const bytes = Buffer.alloc(LONGEST_FILE_BYTES + 1);
  let length = 0;
  for (let count = -1; count !== 0 && length < bytes.length; length += count) {
    count = readSync(file, bytes, length, bytes.length - length, null);
  }
  if (length > LONGEST_FILE_BYTES)
    throw new AccessError(
      `${path} has more than ${LONGEST_FILE_BYTES} bytes, so it is not a token file: remove it`,
    );
  return bytes.toString('utf8', 0, length).trim();
}

/** When two hosts create the file at the same time, both use the token of the first. */
function createFile(path: string, token: string): void {
  try {
    createPrivateFile(path, `${token}\n`);
  } catch (error) {
    throw new AccessError(`the token file ${path} cannot be created: check the folder's permissions`, {
      cause: error,
    });
  }
}

/** Makes an open file of tokens private (0600). Returns a warning if others could read it. `step`: advice to users who do not trust them. */
export function makePrivate(file: number, path: string, step: string): string | undefined {
  if (!isOpenToOthers(fstatSync(file))) return undefined;
  try {
    fchmodSync(file, 0o600);
  } catch (error) {
    return `${path} can be read by others, and its mode cannot be changed (${errorCode(error) ?? 'unknown error'})`;
  }
  return `${path} could be read by others until now: ${step} if they are not trusted`;
}
