import { lstatSync, mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'agenthost-tools-';
const SOCKET = 'socket';

/**
 * A new folder that this user alone can look into (mode 0700), for one socket. Below the temporary folder, since a socket's path is
 * limited to some 100 bytes, which a data folder may have used up.
 */
export function makeSocketFolder(): { readonly folder: string; readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  return { folder, path: join(folder, SOCKET) };
}

/** Removes what hosts of this user left that were killed: folders whose socket nobody listens on. Rejects when one cannot be removed. */
export async function removeLeftSockets(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX));
  for (const folder of names.map((name) => join(tmpdir(), name))) {
    if (isOwn(folder) && (await isDeserted(join(folder, SOCKET))))
      await rm(folder, { recursive: true, force: true });
  }
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
    socket.once('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED'));
  });
