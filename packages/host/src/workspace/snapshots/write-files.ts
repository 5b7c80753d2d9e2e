import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import {
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readFile,
  readlink,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '@agenthost/protocol/values';
import { inFolder, openReal } from '../open-real.ts';
import { isMissing } from '../real-path.ts';
import type { Blob } from './tree-changes.ts';

/** A file that has to change. Absent `from`: it does not exist now; absent `to`: it is removed. */
export interface FileChangePlan {
  /** Relative to the root of the working tree. */
  readonly path: string;
  readonly from?: Blob;
  readonly to?: Blob;
}

/** Dependencies of a write. */
interface WriteParts {
  /** Reads the content of a version. */
  readonly read: (id: string) => Promise<Buffer>;
  /** Name of a file that is being written, in the folder of its final place. Nothing else has it. */
  readonly temporary: string;
}

/** Removes the file that a killed host was writing for one of the plans. */
export async function removeTemporary(
  root: string,
  plans: readonly FileChangePlan[],
  temporary: string,
): Promise<void> {
  const folders = new Set(plans.map(({ path }) => dirname(join(root, path))));
  for (const folder of folders) await rm(join(folder, temporary), { force: true });
}

/** A file on disk is not what a plan expects, or a folder on the way is a link. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
  readonly path: string;

  constructor(path: string) {
    super(`${path} has changed meanwhile`);
    this.path = path;
  }
}

const EXECUTABLE = 0o111;
/** Larger files are in no record, and are not compared with one. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Carries out plans in a working tree: all of them, or none. Each file is checked first, and replaced in one step. Rejects with `FileChanged`
 * when a file is not what its plan expects. Files without a difference are not touched, and a folder that becomes empty is removed.
 */
export async function writeFiles(
  root: string,
  plans: readonly FileChangePlan[],
  { read, temporary }: WriteParts,
): Promise<void> {
  const real = plans.filter(({ from, to }) => from?.id !== to?.id || from?.mode !== to?.mode);
  for (const plan of real) await check(root, plan);
  // Removals first: a folder may have to make room for a file.
  const ordered = [
    ...real.filter(({ to }) => to === undefined),
    ...real.filter(({ to }) => to !== undefined),
  ];
  const done: FileChangePlan[] = [];
  try {
    for (const plan of ordered) {
      await check(root, plan);
      await carryOut(root, plan, { read, temporary });
      done.push(plan);
    }
  } catch (error) {
    await takeBack(root, done.toReversed(), { read, temporary });
    throw error;
  }
}

/** Takes back what was carried out. A file that has changed since stays as it is. */
async function takeBack(root: string, plans: readonly FileChangePlan[], parts: WriteParts): Promise<void> {
  for (const { path, from, to } of plans) {
    const plan = { path, ...(to && { from: to }), ...(from && { to: from }) };
    try {
      await check(root, plan);
      await carryOut(root, plan, parts);
    } catch {
      // The first error is reported. The other files are taken back all the same.
    }
  }
}

async function check(root: string, { path, from }: FileChangePlan): Promise<void> {
  const found = await versionOnDisk(root, path, from?.id.length === 64 ? 'sha256' : 'sha1');
  // A folder in the place of a file is checked again when the file is written.
  if (found === 'folder' && from === undefined) return;
  if (found === 'folder' || found === 'other' || found?.id !== from?.id || found?.mode !== from?.mode)
    throw new FileChanged(path);
}

/**
 * The version of a file as a store would record it. `undefined`: there is no file, or a folder on the way is a link. `other`: what is there cannot
 * be recorded, for example a pipe.
 */
export async function versionOnDisk(
  root: string,
  path: string,
  format: 'sha1' | 'sha256',
): Promise<Blob | 'folder' | 'other' | undefined> {
  try {
    for (let at = dirname(path); at !== '.'; at = dirname(at))
      if (!(await lstat(join(root, at))).isDirectory()) return undefined;
    const full = join(root, path);
    const stats = await lstat(full);
    if (stats.isDirectory()) return 'folder';
    if (!stats.isSymbolicLink() && (!stats.isFile() || stats.size > MAX_BYTES)) return 'other';
    const bytes = stats.isSymbolicLink()
      ? await readlink(full, { encoding: 'buffer' })
      : await readFile(full);
    const id = createHash(format).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
    return { id, mode: stats.isSymbolicLink() ? '120000' : (stats.mode & 0o100) === 0 ? '100644' : '100755' };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function carryOut(root: string, plan: FileChangePlan, parts: WriteParts): Promise<void> {
  const folder = dirname(join(root, plan.path));
  const handle = await openFolder(root, plan);
  if (handle === undefined) return;
  try {
    const place = inFolder(handle, folder);
    await (plan.to === undefined ? remove(place, plan) : put(place, plan, plan.to, parts));
  } finally {
    await handle.close();
  }
  if (plan.to === undefined) await removeEmpty(root, folder);
}

/**
 * Opens the folder of a plan's file, and makes it for a file that is written. No link is followed. Rejects with `FileChanged` if there is one.
 * `undefined`: the folder is gone.
 */
async function openFolder(root: string, { path, to }: FileChangePlan): Promise<FileHandle | undefined> {
  const names = dirname(path) === '.' ? [] : dirname(path).split('/');
  let at = root;
  let handle = await openOne(at, at, path);
  for (const name of names) {
    if (handle === undefined) return undefined;
    const above: FileHandle = handle;
    const way = join(inFolder(above, at), name);
    at = join(at, name);
    try {
      if (to !== undefined) await makeFolder(way);
      handle = await openOne(at, way, path);
    } finally {
      await above.close();
    }
  }
  return handle;
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

async function openOne(folder: string, way: string, path: string): Promise<FileHandle | undefined> {
  try {
    const handle = await openReal(folder, constants.O_RDONLY | constants.O_DIRECTORY, way);
    if (handle === undefined) throw new FileChanged(path);
    return handle;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    if (hasCode(error, 'ELOOP', 'ENOTDIR')) throw new FileChanged(path);
    throw error;
  }
}

async function remove(place: string, { path }: FileChangePlan): Promise<void> {
  try {
    await unlink(join(place, basename(path)));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function put(
  place: string,
  { path, from }: FileChangePlan,
  to: Blob,
  { read, temporary: name }: WriteParts,
): Promise<void> {
  const target = join(place, basename(path));
  const present = await lstat(target).catch(() => undefined);
  if (present?.isDirectory() === true) throw new FileChanged(path);
  const isFile = to.mode !== '120000';
  if (from?.id === to.id && isFile && present?.isFile() === true) {
    await chmod(target, modeFor(to, present));
    return;
  }
  const bytes = await read(to.id);
  const temporary = join(place, name);
  try {
    if (isFile) await writeNew(temporary, bytes, to, present);
    else await symlink(bytes, temporary);
    await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeNew(path: string, bytes: Buffer, to: Blob, present: Stats | undefined): Promise<void> {
  const mode = to.mode === '100755' ? 0o777 : 0o666;
  const file = await open(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    mode,
  );
  try {
    await file.writeFile(bytes);
    if (present?.isFile() === true) await file.chmod(modeFor(to, present));
  } finally {
    await file.close();
  }
}

/** The permissions of a file that stays, with the executable bits of a version. Whoever may read it may run it. */
function modeFor({ mode }: Blob, present: Stats): number {
  const kept = present.mode & 0o7777 & ~EXECUTABLE;
  return mode === '100755' ? kept | ((kept & 0o444) >> 2) : kept;
}

async function removeEmpty(root: string, folder: string): Promise<void> {
  for (let at = folder; at !== root && at.startsWith(root); at = dirname(at)) {
    try {
      await rmdir(at);
    } catch {
      // It is not empty, or gone already.
      return;
    }
  }
}
