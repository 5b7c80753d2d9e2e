import { randomBytes } from 'node:crypto';
import { chmodSync, fstatSync, lstatSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureFolder } from '../../lib/ensure-folder.ts';
import { PtyError } from '../pty.ts';

/** What `sun_path` holds on every system that we know, in bytes, without its final zero (macOS: 104 with it). */
const ADDRESS_LIMIT_BYTES = 100;

const SOCKET_ENDING = '.sock';

/** Where the keepers of a data folder have their sockets, and beside each a log of the same name. */
export function keeperFolder(dataDir: string): string {
  return join(dataDir, 'keepers');
}

/**
 * Makes the folder, owner-only, or checks the one that is there. The mode of this folder is what guards the sockets: who
 * cannot enter it reaches none of them, so no token is asked for on top (one would lie in this very folder).
 * Throws `PtyError` when it is not a folder, or not ours.
 */
export function ensureKeeperFolder(folder: string): void {
  ensureFolder(folder);
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw new PtyError(`${folder} is no folder`);
  if (process.getuid !== undefined && found.uid !== process.getuid()) {
    throw new PtyError(
      `${folder} belongs to user ${found.uid}, and keepers of terminals are only kept in our own`,
    );
  }
  if ((found.mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
}

/** Names of the keepers that have a socket in the folder, whether anybody listens or not. */
export function keeperNames(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) =>
    name.endsWith(SOCKET_ENDING) ? [name.slice(0, -SOCKET_ENDING.length)] : [],
  );
}

/** A name for one more keeper: random, so that two that start at once never meet. */
export function newKeeperName(): string {
  return randomBytes(6).toString('hex');
}

/** The socket of a keeper. */
export function socketPath(folder: string, name: string): string {
  return join(folder, `${name}${SOCKET_ENDING}`);
}

/** The log of a keeper: what it says when it fails. */
export function logPath(folder: string, name: string): string {
  return join(folder, `${name}.log`);
}

/**
 * Whether a host may find a keeper's socket, now or later: not when it was removed, alone or with the folder. A folder that was
 * moved is found where it is now; `log`, an open descriptor of the keeper's own log, tells the two apart. What cannot be looked
 * at counts as there. Never throws.
 */
export function isFindable(folder: string, name: string, log: number): boolean {
  try {
    if (lstatSync(socketPath(folder, name), { throwIfNoEntry: false }) !== undefined) return true;
    const ours = fstatSync(log);
    if (ours.nlink === 0) return false;
    const found = lstatSync(logPath(folder, name), { throwIfNoEntry: false });
    return found?.ino !== ours.ino;
  } catch {
    // No permission now, or a disk that fails: no reason to end what runs.
    return true;
  }
}

/** Removes what a keeper that has gone left. */
export function removeKeeperFiles(folder: string, name: string): void {
  rmSync(socketPath(folder, name), { force: true });
  rmSync(logPath(folder, name), { force: true });
}

/**
 * Hands over a path of a keeper's socket that fits into an address, for as long as `use` runs: that of the socket, or where
 * it is too long one through a link in an owner-only folder of its own, made for this and removed again. So the socket
 * is always in the data folder, however long its path, and nothing is found at a place that others could guess.
 */
export async function withSocketAddress<T>(
  folder: string,
  name: string,
  use: (address: string) => Promise<T>,
): Promise<T> {
  const path = socketPath(folder, name);
  if (Buffer.byteLength(path) <= ADDRESS_LIMIT_BYTES) return use(path);
  const shortcut = mkdtempSync(join(shortTemporaryFolder(), 'ah-'));
  try {
    symlinkSync(folder, join(shortcut, 'k'));
    return await use(socketPath(join(shortcut, 'k'), name));
  } finally {
    rmSync(shortcut, { recursive: true, force: true });
  }
}

/** The temporary folder, unless it alone would fill an address. */
function shortTemporaryFolder(): string {
  const folder = tmpdir();
  return Buffer.byteLength(folder) <= 60 ? folder : '/tmp';
}
