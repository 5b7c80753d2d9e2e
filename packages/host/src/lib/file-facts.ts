import type { Stats } from 'node:fs';

/** A file or folder of the host cannot be used, or is not safe to use. The message is one line that says what to do. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
}

/** The kind of a file, as text for messages. */
export function kindOfFile(stats: Stats): string {
  if (stats.isFile()) return 'a file';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

/**
 * The owner of a file or folder, when that is neither the user of this process nor root. `undefined` on Windows, where files have no such
 * owner.
 */
export function foreignOwner({ uid }: Stats): number | undefined {
  return process.geteuid === undefined || uid === process.geteuid() || uid === 0 ? undefined : uid;
}

/** Whether this process runs as root. Root may use another user's folder, since a folder mounted in a container keeps its owner. */
export const isRoot = (): boolean => process.geteuid?.() === 0;

/** Whether users beside the owner may read, write or enter; always false on Windows, where the folder of the user's profile protects files. */
export const isOpenToOthers = ({ mode }: Stats): boolean =>
  process.platform !== 'win32' && (mode & 0o077) !== 0;

/** Whether users beside the owner may write. */
export const isWritableByOthers = ({ mode }: Stats): boolean =>
  process.platform !== 'win32' && (mode & 0o022) !== 0;
