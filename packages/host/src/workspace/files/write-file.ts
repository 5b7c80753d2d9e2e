import { type BigIntStats, constants } from 'node:fs';
import { access, type FileHandle, lstat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import {
  alreadyExists,
  conflict,
  invalidParam,
  invalidParams,
  notFound,
  type ResourceWriteMode,
} from '@agenthost/protocol';
import { hasCode } from '@agenthost/protocol/values';
import { fileUriOf } from '../file-uri.ts';
import { isMissing } from '../real-path.ts';
import { etagOf } from './etag.ts';
import { type OpenFolder, openFileIn, PathMoved, withFolder, within } from './open-folder.ts';
import { TemporaryFile } from './temporary-entry.ts';

/** Largest file that parts are put into: it is copied. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
/** Number of attempts to write a file that others change during each attempt. */
const MAX_ATTEMPTS = 3;

/** A change of a file. */
export interface FileChange {
  readonly data: Buffer;
  readonly mode: ResourceWriteMode;
  readonly position: number;
  readonly createOnly: boolean;
  readonly ifMatch: string | undefined;
}

/**
 * Writes a file completely or not at all: readers, and a host after a kill, see the old content or the new one [RES-3]. `path` is real and was
 * checked. Returns the `etag` of the new file; `undefined` if others have replaced it since. Rejects with wire errors [RES-1], `PathMoved` or
 * the system's error.
 */
export async function writeFile(path: string, uri: string, change: FileChange): Promise<string | undefined> {
  try {
    return await withFolder(dirname(path), async (folder) => {
      for (let attempt = 1; ; attempt += 1) {
        const written = await attemptWrite({ folder, name: basename(path), uri }, change);
        if (written !== 'changedMeanwhile') return written.etag;
        if (change.ifMatch !== undefined) throw changed(uri);
        if (attempt === MAX_ATTEMPTS)
          throw conflict(`${JSON.stringify(uri)} changes all the time: nothing was written; try again`);
      }
    });
  } catch (error) {
    throw isMissing(error) ? notFound('folder', fileUriOf(dirname(path))) : error;
  }
}

interface Target {
  readonly folder: OpenFolder;
  readonly name: string;
  readonly uri: string;
}

async function attemptWrite(
  target: Target,
  change: FileChange,
): Promise<{ readonly etag: string | undefined } | 'changedMeanwhile'> {
  const { folder, name, uri } = target;
  const before = await factsOf(target);
  if (before !== undefined && change.createOnly) throw alreadyExists('file', uri);
  if (change.ifMatch !== undefined && (before === undefined || etagOf(before) !== change.ifMatch))
    throw changed(uri);
  const { head, tail } = keptParts(change, Number(before?.size ?? 0n));
  // The mode is set at the end: until then nobody else reads the new content.
  const file = await TemporaryFile.create(folder, name, before === undefined ? 0o666 : 0o600);
  try {
    const isCopying = before !== undefined && head.to + (tail.to - tail.from) > 0;
    const source = isCopying ? await openSame(target, before) : undefined;
    if (source === 'changedMeanwhile') return source;
    try {
      if (source !== undefined) await copyBytes(source, file.handle, head);
      await writeAll(file.handle, change.data);
      if (source !== undefined) await copyBytes(source, file.handle, tail);
    } finally {
      await source?.close();
    }
    if (before !== undefined) await takeRights(file.handle, before);
    await file.finish();
    const written = await file.handle.stat({ bigint: true });
    const mustBeSame = isCopying || change.ifMatch !== undefined;
    if (mustBeSame && !isSame(before, await factsOf(target))) return 'changedMeanwhile';
    await put(file, change.createOnly, uri);
    const after = await factsOf(target);
    return { etag: after?.ino === written.ino ? etagOf(after) : undefined };
  } finally {
    await file.close();
  }
}

async function put(file: TemporaryFile, createOnly: boolean, uri: string): Promise<void> {
  try {
    await (createOnly ? file.add() : file.replace());
  } catch (error) {
    throw hasCode(error, 'EEXIST') ? alreadyExists('file', uri) : error;
  }
}

/** The facts of a writable regular file; `undefined` if there is none. */
async function factsOf({ folder, name, uri }: Target): Promise<BigIntStats | undefined> {
  const path = within(folder, name);
  try {
    const facts = await lstat(path, { bigint: true });
    // It was resolved before: a link came in between.
    if (facts.isSymbolicLink()) throw new PathMoved();
    if (facts.isDirectory())
      throw invalidParams(`${JSON.stringify(uri)} is a directory: only files can be written`);
    if (!facts.isFile()) throw invalidParams(`${JSON.stringify(uri)} is not a regular file`);
    await access(path, constants.W_OK);
    return facts;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

const isSame = (one: BigIntStats | undefined, other: BigIntStats | undefined): boolean =>
  one === undefined || other === undefined ? one === other : etagOf(one) === etagOf(other);

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The parts of the present content before and after the new data. */
function keptParts(
  { mode, position }: FileChange,
  size: number,
): { readonly head: Span; readonly tail: Span } {
  if (position > size)
    throw invalidParam(
      'position',
      `expected at most ${size}, the size of the file in bytes, got ${position}`,
    );
  const at = mode === 'append' ? size - position : position;
  const head = { from: 0, to: at };
  const tail = { from: mode === 'truncate' ? size : at, to: size };
  const kept = head.to + tail.to - tail.from;
  if (kept > MAX_KEPT_BYTES)
    throw invalidParams(
      `The file has ${kept} bytes to keep, and at most ${MAX_KEPT_BYTES} are kept when a part of a file is written`,
    );
  return { head, tail };
}

async function openSame(target: Target, before: BigIntStats): Promise<FileHandle | 'changedMeanwhile'> {
  const file = await openFileIn(target.folder, target.name);
  if (isSame(before, await file.stat({ bigint: true }))) return file;
  await file.close();
  return 'changedMeanwhile';
}

/** Copies bytes from one open file to the end of another. */
async function copyBytes(from: FileHandle, to: FileHandle, span: Span): Promise<void> {
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, span.to - span.from));
  for (let at = span.from; at < span.to; ) {
    const { bytesRead } = await from.read(chunk, 0, Math.min(chunk.length, span.to - at), at);
    // It has become shorter, which the comparison at the end finds.
    if (bytesRead === 0) return;
    await writeAll(to, chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
}

async function writeAll(file: FileHandle, data: Buffer): Promise<void> {
  for (let at = 0; at < data.length; )
    at += (await file.write(data, at, data.length - at, null)).bytesWritten;
}

/** Gives a file the owner and mode of another, as far as the host may. */
async function takeRights(file: FileHandle, { uid, gid, mode }: BigIntStats): Promise<void> {
  const own = await file.stat({ bigint: true });
  if (own.uid !== uid || own.gid !== gid)
    await file.chown(Number(uid), Number(gid)).catch((error: unknown) => {
      if (!hasCode(error, 'EPERM', 'EINVAL')) throw error;
    });
  await file.chmod(Number(mode) & 0o777);
}

const changed = (uri: string) =>
  conflict(`${JSON.stringify(uri)} has changed since ifMatch was read: read it again; nothing was written`);
