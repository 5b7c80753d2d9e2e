import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import { inFolder, openReal } from '@agenthost/host';
import { isObject, type JsonObject, numberOf, stringOf } from './json.ts';

/** The largest file that is read for an agent. */
const maxReadBytes = 32 * 1024 * 1024;

/**
 * Reads a text file for an agent (`fs/read_text_file`): `path` inside the working directory after symlinks, from `line` (1-based) on, at
 * most `limit` lines. Rejects with a `RequestError`: -32002 when there is no such file, -32602 when it may not be read.
 */
export async function readTextFile(workingDirectory: string, params: JsonObject): Promise<string> {
  const asked = askedPath(params);
  const path = await confine(workingDirectory, asked);
  const file = await openChecked(path, asked);
  let content: string;
  try {
    content = await textOf(file, asked);
  } finally {
    await file.close();
  }
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
 * Writes a text file for an agent (`fs/write_text_file`) inside the working directory, atomically: a reader sees the old content or the
 * new. Missing folders are made. Rejects with a `RequestError`.
 */
export async function writeTextFile(workingDirectory: string, params: JsonObject): Promise<void> {
  const asked = askedPath(params);
  const content = stringOf(params['content']);
  if (content === undefined) throw RequestError.invalidParams({ reason: 'content is no string' });
  const path = await confine(workingDirectory, asked);
  try {
    await mkdir(dirname(path), { recursive: true });
    // All that follows happens in this very folder, whatever its path leads to by then.
    const folder = await openChecked(dirname(path), asked, constants.O_DIRECTORY);
    try {
      await replace(inFolder(folder, dirname(path)), basename(path), content);
    } finally {
      await folder.close();
    }
  } catch (error) {
    throw fileError(error, asked);
  }
}

async function replace(folder: string, name: string, content: string): Promise<void> {
  const path = join(folder, name);
  const mode = await stat(path).then(
    (info) => info.mode & 0o777,
    () => 0o666,
  );
  const temporary = join(folder, `.${name}.${randomUUID()}.tmp`);
  try {
    const file = await open(temporary, 'wx', mode);
    try {
      await file.writeFile(content, 'utf8');
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Opens what was found to lie inside the working directory. */
async function openChecked(path: string, asked: string, flags = constants.O_RDONLY): Promise<FileHandle> {
  const file = await openReal(path, flags).catch((error: unknown) => Promise.reject(fileError(error, asked)));
  if (file === undefined) throw refused(asked, 'has become another file meanwhile');
  return file;
}

async function textOf(file: FileHandle, asked: string): Promise<string> {
  const info = await file.stat();
  if (!info.isFile()) throw refused(asked, 'is no file');
  if (info.size > maxReadBytes) throw refused(asked, `is larger than ${maxReadBytes} bytes`);
  return file.readFile('utf8');
}

function askedPath(params: JsonObject): string {
  const path = stringOf(params['path']);
  if (path === undefined || !isAbsolute(path)) {
    throw RequestError.invalidParams({ reason: 'path is not absolute', path });
  }
  if (path.includes('\0')) throw refused(JSON.stringify(path), 'has a NUL in it');
  return path;
}

/** The real path of `asked`, whose end may not exist yet; rejects when that lies outside the working directory. */
async function confine(workingDirectory: string, asked: string): Promise<string> {
  const root = await realpath(workingDirectory);
  const path = await realpathOfNew(resolve(asked));
  const within = relative(root, path);
  if (within === '..' || within.startsWith(`..${sep}`) || isAbsolute(within)) {
    throw refused(asked, `lies outside the working directory ${workingDirectory}`);
  }
  return path;
}

async function realpathOfNew(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isObject(error) || error['code'] !== 'ENOENT' || dirname(path) === path)
      throw fileError(error, path);
    return join(await realpathOfNew(dirname(path)), basename(path));
  }
}

function refused(path: string, reason: string): RequestError {
  return RequestError.invalidParams({ reason: `${path} ${reason}` }, `${path} ${reason}`);
}

function fileError(error: unknown, path: string): RequestError {
  if (error instanceof RequestError) return error;
  const code = isObject(error) ? error['code'] : undefined;
  if (code === 'ENOENT') return RequestError.resourceNotFound(path);
  // A link that came meanwhile, a socket, a device without a driver.
  if (code === 'ELOOP' || code === 'ENXIO' || code === 'ENODEV') return refused(path, 'is no file');
  return RequestError.internalError({ details: String(error) }, String(error));
}
