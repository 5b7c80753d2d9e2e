import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT_URI } from '@agenthost/protocol';
import { type AskClient, childUri, isObject, isPlainName, lastName } from '../client-files.ts';
import { SourceFault } from '../source-files.ts';

/** Maximum files and folders of all plugins of one automation. */
const MAX_FILES = 500;
/** Maximum bytes of one file. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Maximum bytes of all plugins of one automation. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Maximum folders inside of each other. */
const MAX_DEPTH = 10;

/** The room that is left for the plugins of an automation. */
export class CopyRoom {
  #bytes: number;
  #files = MAX_FILES;

  /** `usedBytes`: size of the copies that stay. */
  constructor(usedBytes: number) {
    this.#bytes = MAX_BYTES - usedBytes;
  }

  /** Takes room for a file or folder. Throws `SourceFault` if there is none. */
  take(bytes: number): void {
    this.#files -= 1;
    this.#bytes -= bytes;
    if (this.#files < 0) throw new SourceFault(`more than ${MAX_FILES} files and folders, the limit`);
    if (this.#bytes < 0) throw new SourceFault(`more than ${MAX_BYTES} bytes, the limit`);
  }
}

/** What was copied. */
export interface CopiedTree {
  /** Name of the only file of a plugin that is a single file. Absent: it is a folder. */
  readonly file?: string;
  readonly byteCount: number;
}

/**
 * Copies a file or folder of a client into a new folder. Scripts become executable; `.git` is left out. Rejects with `SourceFault`, and with the
 * errors of `ask`.
 */
export async function copyTree(
  ask: AskClient,
  { uri, target, room }: { readonly uri: string; readonly target: string; readonly room: CopyRoom },
): Promise<CopiedTree> {
  await mkdir(target, { recursive: true, mode: 0o700 });
  let byteCount = 0;
  const copyFile = async (from: string, to: string): Promise<void> => {
    const answer = await ask('resourceRead', { channel: ROOT_URI, uri: from, encoding: 'base64' });
    if (!isObject(answer) || typeof answer['data'] !== 'string')
      throw new SourceFault(`its client did not give ${from}`);
    const bytes = Buffer.from(answer['data'], answer['encoding'] === 'base64' ? 'base64' : 'utf8');
    if (bytes.byteLength > MAX_FILE_BYTES)
      throw new SourceFault(`${from} has more than ${MAX_FILE_BYTES} bytes, the limit`);
    room.take(bytes.byteLength);
    byteCount += bytes.byteLength;
    const isScript = bytes.subarray(0, 2).toString('latin1') === '#!';
    await writeFile(to, bytes, { flag: 'wx', mode: isScript ? 0o700 : 0o600 });
  };
  const copyFolder = async (from: string, to: string, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH) throw new SourceFault(`more than ${MAX_DEPTH} folders inside of each other`);
    const answer = await ask('resourceList', { channel: ROOT_URI, uri: from });
    const entries: unknown[] | undefined =
      isObject(answer) && Array.isArray(answer['entries']) ? answer['entries'] : undefined;
    if (entries === undefined) throw new SourceFault(`its client did not list ${from}`);
    for (const entry of entries) {
      if (!isObject(entry) || typeof entry['name'] !== 'string' || !isPlainName(entry['name'])) continue;
      const { name } = entry;
      if (name === '.git') continue;
      const [next, path] = [childUri(from, name), join(to, name)];
      if (entry['type'] !== 'directory') {
        await copyFile(next, path);
        continue;
      }
      room.take(0);
      await mkdir(path, { mode: 0o700 });
      await copyFolder(next, path, depth + 1);
    }
  };
  const found = await ask('resourceResolve', { channel: ROOT_URI, uri });
  if (!isObject(found) || found['type'] !== 'file') {
    await copyFolder(uri, target, 1);
    return { byteCount };
  }
  const file = lastName(uri);
  if (!isPlainName(file)) throw new SourceFault(`${uri} names no file`);
  await copyFile(uri, join(target, file));
  return { file, byteCount };
}
