import { isAbsolute } from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import type { ConfinedFolder } from '../../working-files/confined-path.ts';
import { FileRefusal } from '../../working-files/file-refusal.ts';
import { readWorkingFile } from '../../working-files/read-file.ts';
import { writeWorkingFile } from '../../working-files/write-file.ts';
import { type JsonObject, numberOf, stringOf } from '../json.ts';

/** Largest file that is read for an agent, in bytes. */
const MAX_READ_BYTES = 32 * 1024 * 1024;

/**
 * Reads a text file for an agent (`fs/read_text_file`): `path` within the working directory after symlinks,
 * from line `line` (1-based), at most `limit` lines. Rejects with a `RequestError`: -32002 when the file does
 * not exist, -32602 when it may not be read, -32603 for a fault of the machine.
 */
export async function readTextFile(workingDirectory: ConfinedFolder, params: JsonObject): Promise<string> {
  const asked = askedPath(params);
  const content = await readWorkingFile(workingDirectory, asked, MAX_READ_BYTES).catch((error: unknown) =>
    answer(error, asked),
  );
  const line = numberOf(params['line']);
  const limit = numberOf(params['limit']);
  if (line === undefined && limit === undefined) return content;
  const start = Math.max(0, (line ?? 1) - 1);
  return content
    .split(/(?<=\n)/)
    .slice(start, limit === undefined ? undefined : start + limit)
    .join('');
}

/**
 * Writes a text file for an agent (`fs/write_text_file`) within the working directory, completely or not at
 * all. Creates missing folders. Rejects with a `RequestError` and then leaves nothing behind.
 */
export async function writeTextFile(workingDirectory: ConfinedFolder, params: JsonObject): Promise<void> {
  const asked = askedPath(params);
  const content = stringOf(params['content']);
  if (content === undefined) throw RequestError.invalidParams({ reason: 'content: expected a string' });
  await writeWorkingFile(workingDirectory, asked, content).catch((error: unknown) => answer(error, asked));
}

function askedPath(params: JsonObject): string {
  const path = stringOf(params['path']);
  if (path === undefined || !isAbsolute(path)) {
    throw RequestError.invalidParams({ reason: 'path: expected an absolute path', path });
  }
  return path;
}

function answer(error: unknown, asked: string): never {
  if (!(error instanceof FileRefusal)) throw error;
  if (error.isMissing) throw RequestError.resourceNotFound(asked);
  if (error.isFault) throw RequestError.internalError({ details: error.message }, error.message);
  throw RequestError.invalidParams({ reason: error.message }, error.message);
}
