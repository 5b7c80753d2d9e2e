import { isUtf8 } from 'node:buffer';
import type { BigIntStats, Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import {
  type ByteRange,
  type ContentEncoding,
  internalError,
  invalidParams,
  notFound,
  permissionDenied,
  type ResourceReadResult,
  ROOT_URI,
  type WireError,
} from '@agenthost/protocol';
import { defined, errorCode } from '@agenthost/protocol/values';
import { UnreadableResource } from '../agents/errors.ts';
import { contentTypeOf, knownContentType } from './content-types.ts';
import { pathOfFileUri } from './file-uri.ts';
import { etagOf } from './files/etag.ts';
import { openReal } from './open-real.ts';
import type { PathPolicy } from './path-policy.ts';
import { findRealPath, isMissing } from './real-path.ts';

const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;
/** Largest file that a client reads. As base64 and JSON it is in memory several times. */
export const MAX_ANSWER_BYTES = 24 * 1024 * 1024;
/** Text whose JSON is longer is sent as base64, whose size is known. Control characters take six bytes each in JSON. */
const MAX_TEXT_JSON_BYTES = 48 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** Characters that one iteration of the event loop processes. */
const PIECE_LENGTH = 2 * 1024 * 1024;

/** Options of reading a file. */
export interface FileReadOptions {
  readonly policy: Pick<PathPolicy, 'mayRead'>;
  /** Larger files are refused. Default 32 MiB, and 24 MiB for an answer to a client. */
  readonly maxBytes?: number;
}

/**
 * Reads a whole regular file for `resourceRead` [RES-1] [RES-2]. Text is returned as utf-8; other data, and text with a NUL, as base64.
 * `encoding` is a preference, which invalid text overrules. Rejects with `-32602` for an invalid URI, a file that is not regular or too large,
 * `-32009` outside the working directories (whether it exists or not), and `-32008` when the file does not exist.
 */
export async function readFileResource(
  uri: string,
  encoding: ContentEncoding | undefined,
  options: FileReadOptions,
): Promise<ResourceReadResult> {
  const { bytes, path } = await readFileBytes(uri, { maxBytes: MAX_ANSWER_BYTES, ...options }).catch(refuse);
  return encode(bytes, path, encoding);
}

function refuse(error: unknown): never {
  throw error instanceof UnreadableResource ? invalidParams(error.message) : error;
}

/**
 * Reads consecutive bytes of a regular file of any size, as base64, with the size and the `etag` of the file. Rejects as `readFileResource` does, and
 * with `-32602` for a range of more than 24 MiB.
 */
export async function readFileRange(
  uri: string,
  range: ByteRange,
  options: Pick<FileReadOptions, 'policy'>,
): Promise<ResourceReadResult> {
  checkRange(range);
  return withFile(uri, options, async (file, path) => {
    const stats = await file.stat({ bigint: true });
    checkRegular(uri, stats);
    const size = Number(stats.size);
    const bytes = Buffer.alloc(Math.min(range.length, Math.max(0, size - range.start)));
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, range.start + filled);
      // The file became shorter meanwhile.
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    const encoded = await encodeBytes(bytes.subarray(0, filled), 'base64');
    return {
      ...encoded,
      ...defined({ contentType: knownContentType(path) }),
      'x-size': size,
      'x-etag': etagOf(stats),
    };
  }).catch(refuse);
}

/** Throws `-32602` for a range that one answer cannot carry. */
export function checkRange({ length }: ByteRange): void {
  if (length > MAX_ANSWER_BYTES)
    throw invalidParams(`"x-range" has ${length} bytes, and at most ${MAX_ANSWER_BYTES} are read at once`);
}

/**
 * Reads a whole regular file and its real path, with the same checks. Rejects as `readFileResource` does, but with `UnreadableResource` for a
 * folder and for a file that is too large.
 */
export async function readFileBytes(
  uri: string,
  options: FileReadOptions,
): Promise<{ readonly bytes: Buffer; readonly path: string }> {
  return withFile(uri, options, async (file, path) => {
    const stats = await file.stat();
    checkRegular(uri, stats);
    return { bytes: await readWhole(uri, file, stats.size, options.maxBytes ?? DEFAULT_MAX_BYTES), path };
  });
}

/** Opens a file that the policy allows to read, and closes it after `use`. Rejects with wire errors, and as `use` does. */
async function withFile<T>(
  uri: string,
  { policy }: Pick<FileReadOptions, 'policy'>,
  use: (file: FileHandle, path: string) => Promise<T>,
): Promise<T> {
  const given = pathOfFileUri(uri);
  try {
    const real = await findRealPath(given);
    const verdict = await policy.mayRead(real);
    if (verdict !== 'yes') throw verdict === 'private' ? ofTheHost(uri) : denied(uri);
    if (!real.exists) throw notFound('file', uri);
    const file = await openReal(real.path);
    if (file === undefined) throw denied(uri);
    try {
      return await use(file, real.path);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw toWireError(error, uri);
  }
}

function denied(uri: string): WireError {
  return permissionDenied(
    `${JSON.stringify(uri)} is not in a working directory of a session: only files there can be read; ask for access with resourceRequest, begin a session in its folder, or attach its content to a message`,
    { request: { channel: ROOT_URI, uri, read: true } },
  );
}

/** A private file. No client can get access to it. */
const ofTheHost = (uri: string): WireError =>
  permissionDenied(`${JSON.stringify(uri)} belongs to the host itself, and clients cannot read it`);

function checkRegular(uri: string, stats: Pick<Stats | BigIntStats, 'isDirectory' | 'isFile'>): void {
  if (stats.isDirectory())
    throw new UnreadableResource('folder', `${JSON.stringify(uri)} is a directory: only files can be read`);
  if (!stats.isFile()) throw invalidParams(`${JSON.stringify(uri)} is not a regular file`);
}

async function readWhole(uri: string, file: FileHandle, size: number, maxBytes: number): Promise<Buffer> {
  if (size > maxBytes) throw tooLarge(uri, size, maxBytes);
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const space = Buffer.alloc(Math.max(CHUNK_BYTES, size - total));
    const { bytesRead } = await file.read(space, 0, undefined, null);
    // Most files come in one read, which needs no copy.
    if (bytesRead === 0) return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, total);
    chunks.push(space.subarray(0, bytesRead));
    total += bytesRead;
    // The file may grow while it is read, so the limit applies to the bytes read.
    if (total > maxBytes) throw tooLarge(uri, total, maxBytes);
  }
}

function tooLarge(uri: string, bytes: number, maxBytes: number): UnreadableResource {
  return new UnreadableResource(
    'tooLarge',
    `${JSON.stringify(uri)} has ${bytes} bytes, and at most ${maxBytes} are read at once`,
  );
}

async function encode(
  bytes: Buffer,
  path: string,
  encoding: ContentEncoding | undefined,
): Promise<ResourceReadResult> {
  const isText = isUtf8(bytes) && (encoding === 'utf-8' || !bytes.includes(0));
  return {
    ...(await encodeBytes(bytes, isText ? encoding : 'base64')),
    contentType: contentTypeOf(path, isText),
  };
}

/**
 * Bytes as the data of an answer: as UTF-8 if they are valid text, the caller accepts that, and their JSON is not too long; else as base64. Long
 * data is encoded in several iterations of the event loop; `nextTurn` resolves after the current one.
 */
export async function encodeBytes(
  bytes: Buffer,
  encoding: ContentEncoding | undefined,
  nextTurn: () => Promise<void> = setImmediate,
): Promise<Pick<ResourceReadResult, 'data' | 'encoding'>> {
  if (encoding !== 'base64' && isUtf8(bytes)) {
    const data = bytes.toString('utf8');
    const mayBeLong = bytes.length * 6 > MAX_TEXT_JSON_BYTES;
    if (!mayBeLong || (await fitsAsJson(data, nextTurn))) return { data, encoding: 'utf-8' };
  }
  const data = bytes.toString('base64');
  // To make the answer of it takes as long again.
  if (bytes.length > CHUNK_BYTES) await nextTurn();
  return { data, encoding: 'base64' };
}

/** Whether a text is short enough as JSON. Looks at a piece of it in each iteration of the event loop. */
async function fitsAsJson(text: string, nextTurn: () => Promise<void>): Promise<boolean> {
  let bytes = 0;
  for (let at = 0; at < text.length; at += PIECE_LENGTH) {
    bytes += Buffer.byteLength(JSON.stringify(text.slice(at, at + PIECE_LENGTH))) - 2;
    if (bytes > MAX_TEXT_JSON_BYTES) return false;
    await nextTurn();
  }
  return true;
}

/** A system error as the client may see it: with its own URI, and no path of this machine. */
export function toWireError(error: unknown, uri: string): unknown {
  const code = errorCode(error);
  // Errors of the wire have a number there.
  if (code === undefined) return error;
  if (isMissing(error)) return notFound('file', uri);
  switch (code) {
    case 'ELOOP':
    case 'EACCES':
    case 'EPERM':
      return permissionDenied(`${JSON.stringify(uri)}: the operating system does not allow it (${code})`);
    case 'EROFS':
      return permissionDenied(`${JSON.stringify(uri)} is on a file system that is read-only`);
    case 'ENOSPC':
    case 'EDQUOT':
      return internalError(`${JSON.stringify(uri)} was not written: the disk is full (${code})`, error);
    case 'ENXIO':
    case 'ENODEV':
      return invalidParams(`${JSON.stringify(uri)} is not a regular file`);
    default:
      return internalError(`${JSON.stringify(uri)} could not be read or written (${code})`, error);
  }
}
