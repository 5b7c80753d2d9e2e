import { type Dirent } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '@agenthost/protocol/values';
import { fileUriOf } from '../../workspace/file-uri.ts';
import type { PrivatePaths } from '../../workspace/private-paths.ts';
import { findRealPath, isMissing, isWithin } from '../../workspace/real-path.ts';
import {
  MAX_ENTRIES,
  MAX_FILE_BYTES,
  type SourceEntry,
  SourceFault,
  type SourceFiles,
} from './source-files.ts';

/**
 * Files below a folder of this machine.
 * @param options.root absolute path
 * @param options.isConfined whether links that lead out of the root are refused, because somebody else may have made them
 */
export function hostFiles({
  root,
  isConfined,
  privatePaths,
}: {
  readonly root: string;
  readonly isConfined: boolean;
  readonly privatePaths: Pick<PrivatePaths, 'covers'>;
}): SourceFiles {
  /** The real path; `undefined`: nothing is there. */
  const realOf = async (path: string): Promise<string | undefined> => {
    const [{ path: base }, { path: real, exists }] = await Promise.all([
      findRealPath(root),
      findRealPath(join(root, path)),
    ]);
    if (!exists) return undefined;
    if (isConfined && !isWithin(real, base))
      throw new SourceFault('it is a link that leads out of the folder');
    if (await privatePaths.covers(real)) throw new SourceFault('it is private to the host');
    return real;
  };
  return {
    uriOf: (path) => fileUriOf(join(root, path)),
    list: (path) =>
      tolerated(async () => {
        const real = await realOf(path);
        if (real === undefined || !(await stat(real)).isDirectory()) return undefined;
        const found = (await readdir(real, { withFileTypes: true }))
          .toSorted((one, other) => (one.name < other.name ? -1 : 1))
          .slice(0, MAX_ENTRIES);
        return (await Promise.all(found.map((entry) => entryOf(real, entry)))).filter(
          (entry) => entry !== undefined,
        );
      }),
    read: (path) =>
      tolerated(async () => {
        const real = await realOf(path);
        return real === undefined ? undefined : readText(real);
      }),
  };
}

async function entryOf(folder: string, entry: Dirent): Promise<SourceEntry | undefined> {
  const { name } = entry;
  if (entry.isFile()) return { name, kind: 'file' };
  if (entry.isDirectory()) return { name, kind: 'directory' };
  if (!entry.isSymbolicLink()) return undefined;
  const found = await tolerated(() => stat(join(folder, name)));
  if (found?.isFile() === true) return { name, kind: 'file' };
  return found?.isDirectory() === true ? { name, kind: 'directory' } : undefined;
}

async function readText(real: string): Promise<string | undefined> {
  // A FIFO would block the open.
  if (!(await stat(real)).isFile()) return undefined;
  const file = await open(real, 'r');
  try {
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.byteLength - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.byteLength) break;
    }
    return textOfBytes(buffer.subarray(0, length));
  } finally {
    await file.close();
  }
}

/** The text of a file without a byte order mark. Throws `SourceFault` if it is too large or not UTF-8. */
export function textOfBytes(bytes: Uint8Array): string {
  if (bytes.byteLength > MAX_FILE_BYTES)
    throw new SourceFault(`it has more than ${MAX_FILE_BYTES} bytes, the limit`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new SourceFault('it is not UTF-8 text', { cause: error });
  }
}

/** `undefined` for what does not exist. Errors of the system become a `SourceFault`. */
async function tolerated<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof SourceFault) throw error;
    throw new SourceFault(`it cannot be read: ${errorText(error)}`, { cause: error });
  }
}
