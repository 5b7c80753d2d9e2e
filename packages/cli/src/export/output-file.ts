import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { link, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { CliError, EXIT } from '../exit.ts';
import { oneLine } from '../render/plain-text.ts';

/**
 * Writes a file that is there as a whole or not at all. An existing one is replaced only with `isForced`. Rejects with a `CliError` for
 * what the file system refuses.
 */
export async function writeWhole(
  path: string,
  text: AsyncIterable<string>,
  isForced: boolean,
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.part`);
  try {
    const stream = createWriteStream(temporary, { flags: 'wx', mode: 0o600 });
    await writeAll(stream, text);
    if (isForced) return await rename(temporary, path);
    await link(temporary, path);
    await unlink(temporary);
  } catch (cause) {
    await unlink(temporary).catch(() => undefined);
    if (!(cause instanceof Error) || !('syscall' in cause) || !('code' in cause)) throw cause;
    const message =
      cause.code === 'EEXIST'
        ? `${oneLine(path)} is there already; --force replaces it`
        : `${oneLine(path)} cannot be written: ${cause.message}`;
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
