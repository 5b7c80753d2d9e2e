import type { Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, rename, rm, rmdir, symlink } from 'node:fs/promises';
import { alreadyExists, conflict, invalidParams } from '@agenthost/protocol';
import { hasCode } from '@agenthost/protocol/values';
import { type OpenFolder, openFileIn, PathMoved, within, withSubfolder } from './open-folder.ts';
import { otherTemporaryName, TemporaryFile } from './temporary-entry.ts';
import { emptyFolder, entriesOf } from './tree.ts';

const CHUNK_BYTES = 1024 * 1024;

/** A name in an open folder, and the URI of it for errors. */
export interface Entry {
  readonly folder: OpenFolder;
  readonly name: string;
  readonly uri: string;
}

/**
 * Copies a file, or a folder with everything below it. The copy gets its name when it is complete [RES-3]. Links below a folder are copied as
 * links. `failIfExists`: rejects with `-32010` if the destination exists; otherwise a file or an empty folder is replaced.
 */
export async function copyEntry(source: Entry, destination: Entry, failIfExists: boolean): Promise<void> {
  const facts = await lstat(within(source.folder, source.name));
  // It was resolved before: a link came in between.
  if (facts.isSymbolicLink()) throw new PathMoved();
  if (facts.isFile()) await copyFile(source, destination, failIfExists);
  else if (facts.isDirectory()) await copyFolder(source, destination, { facts, failIfExists });
  else throw notCopied(source.uri);
}

/** Copies a link itself. */
export async function copyLink(source: Entry, destination: Entry, failIfExists: boolean): Promise<void> {
  const temporary = otherTemporaryName(destination.name);
  await symlink(await readlink(within(source.folder, source.name)), within(destination.folder, temporary));
  try {
    await placeEntry(destination, temporary, failIfExists);
  } catch (error) {
    await removeEntry(destination.folder, temporary);
    throw error;
  }
}

async function copyFile(source: Entry, destination: Entry, failIfExists: boolean): Promise<void> {
  const file = await TemporaryFile.create(destination.folder, destination.name, 0o600);
  try {
    await copyContent(source, file.handle);
    await file.finish();
    await (failIfExists ? file.add() : file.replace());
  } catch (error) {
    throw placeError(error, destination.uri);
  } finally {
    await file.close();
  }
}

/** Copies content and mode of a file. */
async function copyContent({ folder, name, uri }: Entry, to: FileHandle): Promise<void> {
  const from = await openFileIn(folder, name);
  try {
    const facts = await from.stat();
    if (!facts.isFile()) throw notCopied(uri);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await from.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) break;
      for (let at = 0; at < bytesRead; ) at += (await to.write(chunk, at, bytesRead - at, null)).bytesWritten;
    }
    await to.chmod(facts.mode & 0o777);
  } finally {
    await from.close();
  }
}

async function copyFolder(
  source: Entry,
  destination: Entry,
  { facts, failIfExists }: { readonly facts: Stats; readonly failIfExists: boolean },
): Promise<void> {
  const temporary = otherTemporaryName(destination.name);
  await mkdir(within(destination.folder, temporary), 0o700);
  try {
    await withSubfolder(source.folder, source.name, (from) =>
      withSubfolder(destination.folder, temporary, async (to) => {
        await copyEntries(from, to, source.uri);
        await to.handle.chmod(facts.mode & 0o777);
      }),
    );
    await placeEntry(destination, temporary, failIfExists);
  } catch (error) {
    await removeEntry(destination.folder, temporary);
    throw error;
  }
}

/** Into a temporary folder: files need no temporary name of their own. */
async function copyEntries(from: OpenFolder, to: OpenFolder, uri: string): Promise<void> {
  for (const { name, facts } of await entriesOf(from, Number.POSITIVE_INFINITY)) {
    if (facts.isSymbolicLink()) await symlink(await readlink(within(from, name)), within(to, name));
    else if (facts.isFile()) {
      const copy = await open(within(to, name), 'wx', 0o600);
      try {
        await copyContent({ folder: from, name, uri }, copy);
      } finally {
        await copy.close();
      }
    } else if (facts.isDirectory()) {
      await mkdir(within(to, name), 0o700);
      await withSubfolder(from, name, (below) =>
        withSubfolder(to, name, async (made) => {
          await copyEntries(below, made, uri);
          await made.handle.chmod(facts.mode & 0o777);
        }),
      );
    } else throw notCopied(uri);
  }
  await to.handle.sync();
}

/** Gives a temporary folder or link its final name. */
async function placeEntry(
  { folder, name, uri }: Entry,
  temporary: string,
  failIfExists: boolean,
): Promise<void> {
  try {
    if (failIfExists) await refuseExisting({ folder, name, uri });
    await rename(within(folder, temporary), within(folder, name));
    await folder.handle.sync();
  } catch (error) {
    throw placeError(error, uri);
  }
}

/** Rejects with `-32010` if something has the name, also a link to nothing. */
export async function refuseExisting({ folder, name, uri }: Entry): Promise<void> {
  try {
    await lstat(within(folder, name));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  throw alreadyExists('file', uri);
}

/** An error of giving something its final name, for the client. */
export function placeError(error: unknown, uri: string): unknown {
  if (hasCode(error, 'EEXIST')) return alreadyExists('file', uri);
  if (hasCode(error, 'ENOTEMPTY'))
    return conflict(
      `${JSON.stringify(uri)} is a folder that is not empty, and is not replaced: delete it first`,
    );
  if (hasCode(error, 'EISDIR', 'ENOTDIR'))
    return conflict(
      `${JSON.stringify(uri)} exists: a file does not replace a folder, nor a folder a file; delete it first`,
    );
  return error;
}

/** Deletes a temporary entry with everything below it. */
export async function removeEntry(folder: OpenFolder, name: string): Promise<void> {
  try {
    if (!(await lstat(within(folder, name))).isDirectory())
      return await rm(within(folder, name), { force: true });
    await withSubfolder(folder, name, emptyFolder);
    await rmdir(within(folder, name));
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

const notCopied = (uri: string) =>
  invalidParams(
    `${JSON.stringify(uri)} is or contains a device, a pipe or a socket: only files, folders and links are copied`,
  );
