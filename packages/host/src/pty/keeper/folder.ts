import { randomBytes } from 'node:crypto';
import { chmodSync, fstatSync, lstatSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureFolder } from '../../lib/ensure-folder.ts';
import { PtyError } from '../pty.ts';

/** Limit of a socket address, in bytes. `sun_path` is larger on all supported systems (macOS: 104 with its final zero). */
const ADDRESS_LIMIT_BYTES = 100;

const SOCKET_ENDING = '.sock';

/** The folder of the sockets and logs of the keepers of a data folder. */
export function keeperFolder(dataDir: string): string {
  return join(dataDir, 'keepers');
}

/**
 * Makes the folder with access for the owner only, or checks the existing one. The mode of the folder protects the sockets, so keepers need
 * no token. Throws `PtyError` when the path is not a folder, or when another user owns it or has access.
 */
export function ensureKeeperFolder(folder: string): void {
  ensureFolder(folder);
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw new PtyError(`${folder} is not a folder`);
  if (process.getuid !== undefined && found.uid !== process.getuid()) {
    throw new PtyError(
      `${folder} belongs to user ${found.uid}, and keepers of terminals are only kept in our own`,
    );
  }
  if ((found.mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
}

/** Names of the keepers that have a socket in the folder, running or not. */
export function keeperNames(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) =>
    name.endsWith(SOCKET_ENDING) ? [name.slice(0, -SOCKET_ENDING.length)] : [],
  );
}

/** A random name for a new keeper. */
export function newKeeperName(): string {
  return randomBytes(6).toString('hex');
}

/** The socket of a keeper. */
export function socketPath(folder: string, name: string): string {
  return join(folder, `${name}${SOCKET_ENDING}`);
}

/** The log of a keeper, for its errors. */
export function logPath(folder: string, name: string): string {
  return join(folder, `${name}.log`);
}

/**
 * Whether a host can find the socket of a keeper. False when the socket or its folder was removed. True when the folder was moved; `log`, an
 * open descriptor of the keeper's log, tells the difference. True when the file cannot be checked. Never throws.
 */
export function isFindable(folder: string, name: string, log: number): boolean {
  try {
    if (lstatSync(socketPath(folder, name), { throwIfNoEntry: false }) !== undefined) return true;
    const ours = fstatSync(log);
    if (ours.nlink === 0) return false;
    const found = lstatSync(logPath(folder, name), { throwIfNoEntry: false });
    return found?.ino !== ours.ino;
  } catch {
    // A missing permission or a failing disk is no reason to end running programs.
    return true;
  }
}

/** Removes the files of a keeper that is gone. */
export function removeKeeperFiles(folder: string, name: string): void {
  rmSync(socketPath(folder, name), { force: true });
  rmSync(logPath(folder, name), { force: true });
}

/**
 * Calls `use` with a path of a keeper's socket that fits into an address: the path of the socket or, if that is too long, a path through a
 * link in a temporary folder with access for the owner only. The path is valid while `use` runs. So the socket is always in the data
 * folder, and no other user can guess a path to it.
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

/** The temporary folder of the system, or `/tmp` if its path is too long. */
function shortTemporaryFolder(): string {
  const folder = tmpdir();
  return Buffer.byteLength(folder) <= 60 ? folder : '/tmp';
}
