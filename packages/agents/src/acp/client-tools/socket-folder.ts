import { lstatSync, mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';

const PREFIX = 'agenthost-tools-';
const SOCKET = 'socket';
/** Longest path of a socket that every system accepts, in bytes. */
const PATH_LIMIT_BYTES = 100;
/** Used when the path of the temporary folder is too long. */
const SHORT_FOLDER = '/tmp';

/**
 * Creates a folder for one socket that only this user can enter (mode 0700). It is below the temporary
 * folder, because the path of a data folder may exceed the limit for sockets.
 */
export function makeSocketFolder(): { readonly folder: string; readonly path: string } {
  const folder = mkdtempSync(join(parentFolder(), PREFIX));
  return { folder, path: join(folder, SOCKET) };
}

/**
 * Removes the folders that this user's killed hosts left: those with a socket on which no process listens. Calls `failed` for
 * a folder that cannot be removed.
 */
export async function removeLeftSockets(failed: (error: unknown) => void): Promise<void> {
  const parent = parentFolder();
  const names = await readdir(parent).catch((error: unknown) => {
    failed(error);
    return [];
  });
  for (const folder of names.filter((name) => name.startsWith(PREFIX)).map((name) => join(parent, name))) {
    try {
      if (isOwn(folder) && (await isDeserted(join(folder, SOCKET))))
        await rm(folder, { recursive: true, force: true });
    } catch (error) {
      failed(error);
    }
  }
}

function parentFolder(): string {
  const path = join(tmpdir(), `${PREFIX}XXXXXX`, SOCKET);
  return Buffer.byteLength(path) > PATH_LIMIT_BYTES ? SHORT_FOLDER : tmpdir();
}

function isOwn(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === process.getuid?.();
}

/** A socket that does not exist yet may be about to be created. */
const isDeserted = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error) => resolve(hasCode(error, 'ECONNREFUSED')));
  });
