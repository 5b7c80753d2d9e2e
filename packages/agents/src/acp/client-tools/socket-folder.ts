import { lstatSync, mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';

const PREFIX = 'agenthost-tools-';
const SOCKET = 'socket';
/** What every system takes as a socket's path. */
const PATH_LIMIT_BYTES = 100;
/** For a temporary folder whose path is too long for that. */
const SHORT_FOLDER = '/tmp';

/**
 * A new folder that this user alone can look into (mode 0700), for one socket. Below the temporary folder, since a socket's path is
 * limited to some 100 bytes, which a data folder may have used up.
 */
export function makeSocketFolder(): { readonly folder: string; readonly path: string } {
  const folder = mkdtempSync(join(parentFolder(), PREFIX));
  return { folder, path: join(folder, SOCKET) };
}

/**
 * Removes what hosts of this user left that were killed: folders whose socket nobody listens on. What cannot be removed is told to
 * `failed`, and left.
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

/** One that is not there yet may be about to be made. */
const isDeserted = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error) => resolve(hasCode(error, 'ECONNREFUSED')));
  });
