import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { link, mkdtemp, readlink, rename, rm, stat, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { finished, pipeline } from 'node:stream/promises';
import { errorCode, errorText } from '@agenthost/protocol/values';
import type { Context } from '../process/context.ts';
import { CliError, EXIT, usageError } from '../process/exit.ts';
import { fileTrouble } from '../process/files.ts';
import { commandLine } from '../process/own-command.ts';
import { oneLine } from '../render/plain-text.ts';

/** How a file is written. */
export interface WriteOptions {
  /** Replaces one that is there. */
  readonly isForced: boolean;
  /** Its permissions, before the umask. */
  readonly mode: number;
}

/** The file to write for a path, links followed. Rejects with a `CliError` for one that cannot be written. */
export async function placeToWrite(path: string, isForced: boolean, links = 0): Promise<string> {
  const refused = (why: string): CliError => new CliError(EXIT.error, `${oneLine(path)} ${why}`);
  const target = await orAbsent(readlink(path));
  if (target !== undefined) {
    if (links > 40) throw refused('is a link to itself');
    return placeToWrite(resolve(dirname(path), target), isForced, links + 1);
  }
  const stats = await orAbsent(stat(path));
  if (stats?.isDirectory()) throw refused('is a folder');
  if (stats !== undefined && !stats.isFile()) throw refused('is not a regular file');
  if (stats !== undefined && !isForced) throw refused('already exists; --force replaces it');
  const folder = dirname(path);
  if (stats === undefined && !(await orAbsent(stat(folder)))?.isDirectory())
    throw new CliError(EXIT.error, `the folder ${oneLine(folder)} does not exist`);
  return path;
}

/** The file status of a path; `undefined` if nothing exists there. */
async function orAbsent<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

/**
 * Writes a file that is there as a whole or not at all. An existing one is replaced only with `isForced`. Rejects with a `CliError` for
 * what the file system refuses.
 */
export async function writeWhole(
  path: string,
  text: AsyncIterable<string>,
  { isForced, mode }: WriteOptions,
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.part`);
  try {
    const stream = createWriteStream(temporary, { flags: 'wx', mode });
    await writeAll(stream, text);
    if (isForced) return await rename(temporary, path);
    await link(temporary, path);
    await unlink(temporary);
  } catch (cause) {
    await unlink(temporary).catch(() => undefined);
    if (!(cause instanceof Error) || !('syscall' in cause) || !('code' in cause)) throw cause;
    const message =
      cause.code === 'EEXIST'
        ? `${oneLine(path)} already exists; --force replaces it`
        : `${oneLine(path)} cannot be written: ${fileTrouble(cause)}`;
    throw new CliError(EXIT.error, message, { cause });
  }
}

async function writeAll(
  stream: ReturnType<typeof createWriteStream>,
  text: AsyncIterable<string>,
): Promise<void> {
  const ended = finished(stream);
  // Awaited below; it must not count as unhandled when the source fails first.
  ended.catch(() => undefined);
  try {
    for await (const piece of text) {
      if (!stream.write(piece)) await Promise.race([once(stream, 'drain'), ended]);
    }
    stream.end();
  } catch (error) {
    stream.destroy();
    throw error;
  }
  await ended;
}

/** Lets `use` read what is piped in as often as it wants: from a file for this user alone, which goes afterwards. */
export async function withInputAsFile<T>({ stdin }: Context, use: (path: string) => Promise<T>): Promise<T> {
  if (stdin.isTTY === true)
    throw usageError(`nothing is piped in: ${commandLine('import - < session.json')}`);
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-import-'));
  try {
    const path = join(folder, 'input.json');
    await pipeline(stdin, createWriteStream(path, { mode: 0o600 })).catch((cause: unknown) => {
      const why = errorText(cause);
      throw new CliError(EXIT.error, `standard input cannot be read: ${why}`, { cause });
    });
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
