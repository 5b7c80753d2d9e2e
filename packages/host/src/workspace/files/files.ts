import type { BigIntStats } from 'node:fs';
import { lstat, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import {
  alreadyExists,
  conflict,
  invalidParam,
  invalidParams,
  notFound,
  type ResourceDeleteParams,
  type ResourceReadParams,
  type ResourceReadResult,
  type ResourceResolveParams,
  type ResourceResolveResult,
  type ResourceTransferParams,
  type ResourceWriteParams,
  type ResourceWriteResult,
} from '@agenthost/protocol';
import { defined, hasCode } from '@agenthost/protocol/values';
import type { AccessPolicy, Need } from '../access/access-policy.ts';
import type { Asker, Wanted } from '../access/grants.ts';
import { knownContentType } from '../content-types.ts';
import { fileUriOf, pathOfFileUri } from '../file-uri.ts';
import { findRealPath, isMissing, isWithin } from '../real-path.ts';
import { readFileRange, readFileResource, toWireError } from '../resources.ts';
import { copyEntry, copyLink, type Entry, placeError, refuseExisting, removeEntry } from './copy-entry.ts';
import { decodeContent } from './decode-content.ts';
import { etagOf } from './etag.ts';
import { PathMoved, withFolder, within, withSubfolder } from './open-folder.ts';
import { PathLocks } from './path-locks.ts';
import { checkTree, emptyFolder, type TreeEntry, type TreeLimits } from './tree.ts';
import { writeFile } from './write-file.ts';

type Of<P> = Omit<P, 'channel' | '_meta'>;

/** Limits of a tree that is copied, deleted, or moved to another file system at once. */
const TREE_LIMITS: TreeLimits = {
  maxEntries: 20_000,
  maxDepth: 64,
  maxBytes: 1024 * 1024 * 1024,
};

/** A path as a client named it. */
interface Place {
  readonly uri: string;
  /** Real but for the last segment, which may be a link that was not followed. */
  readonly path: string;
}

/**
 * Reads and changes files for clients [RES-1] [RES-2] [RES-3]. Every path is decided on after its links were followed, and used through an open
 * folder, so that a link that comes in between has no effect. Methods reject with wire errors.
 */
export class Files {
  readonly #policy: AccessPolicy;
  readonly #limits: TreeLimits;
  readonly #locks = new PathLocks();

  constructor(policy: AccessPolicy, limits: Partial<TreeLimits> = {}) {
    this.#policy = policy;
    this.#limits = { ...TREE_LIMITS, ...limits };
  }

  /** As `readFileResource`, and for a range as `readFileRange`. */
  read(
    { uri, encoding, 'x-range': range }: Of<ResourceReadParams>,
    asker: Asker,
  ): Promise<ResourceReadResult> {
    const policy = {
      mayRead: ({ path }: { readonly path: string }) => this.#policy.verdict(path, 'read', asker),
    };
    return range === undefined
      ? readFileResource(uri, encoding, { policy })
      : readFileRange(uri, range, { policy });
  }

  /** The kind, the real place and the facts of a file. */
  resolve(
    { uri, followSymlinks = true }: Of<ResourceResolveParams>,
    asker: Asker,
  ): Promise<ResourceResolveResult> {
    return this.#use(uri, 'look', async () => {
      const { path } = await this.#place(uri, { follow: followSymlinks, need: 'look', asker });
      const facts = await factsAt(path);
      if (facts === undefined) throw notFound('file', uri);
      // It was followed before: a link came in between.
      if (followSymlinks && facts.isSymbolicLink()) throw new PathMoved();
      return {
        uri: fileUriOf(path),
        type: facts.isSymbolicLink() ? 'symlink' : facts.isDirectory() ? 'directory' : 'file',
        ...(facts.isFile() ? { size: Number(facts.size) } : {}),
        mtime: facts.mtime.toISOString(),
        // Some file systems do not know it.
        ...(facts.birthtimeNs > 0n ? { ctime: facts.birthtime.toISOString() } : {}),
        ...defined({ contentType: facts.isFile() ? knownContentType(path) : undefined }),
        etag: etagOf(facts),
      };
    });
  }

  /** Writes a file completely or not at all. A link is followed: its target is written. */
  async write(params: Of<ResourceWriteParams>, asker: Asker): Promise<ResourceWriteResult> {
    const { uri, mode = 'truncate', position = 0, createOnly = false, ifMatch } = params;
    const data = decodeContent(params);
    if (createOnly && ifMatch !== undefined)
      throw invalidParam(
        'ifMatch',
        'a file that must not exist has no etag: leave out ifMatch or createOnly',
      );
    return this.#use(uri, 'write', async () => {
      const { path } = await this.#place(uri, { follow: true, need: 'write', asker });
      const etag = await this.#locks.run(path, () =>
        writeFile(path, uri, { data, mode, position, createOnly, ifMatch }),
      );
      return defined({ 'x-etag': etag });
    });
  }

  /** Deletes a file, a link or a folder. A link is not followed. */
  remove({ uri, recursive = false }: Of<ResourceDeleteParams>, asker: Asker): Promise<void> {
    return this.#use(uri, 'write', async () => {
      const { path } = await this.#place(uri, { follow: false, need: 'write', asker });
      const name = basename(path);
      if (name === '') throw invalidParams('The root folder cannot be deleted');
      await withFolder(dirname(path), async (folder) => {
        const facts = await lstat(within(folder, name));
        if (!facts.isDirectory()) {
          await unlink(within(folder, name));
          return;
        }
        await this.#refuseInUse(uri, path);
        if (recursive) {
          await withSubfolder(folder, name, async (opened) => {
            await checkTree(
              opened,
              uri,
              { ...this.#limits, maxBytes: Infinity },
              await this.#privateCheck(uri),
            );
            await emptyFolder(opened);
          });
        }
        await rmdir(within(folder, name)).catch((error: unknown) => {
          throw hasCode(error, 'ENOTEMPTY', 'EEXIST') ? notEmpty(uri) : error;
        });
      });
    });
  }

  /** Copies the target of a link, a file, or a folder with everything below it. */
  copy(
    { source, destination, failIfExists = false }: Of<ResourceTransferParams>,
    asker: Asker,
  ): Promise<void> {
    return this.#use(source, 'read', async () => {
      const from = await this.#existing(source, { follow: true, need: 'read', asker });
      await this.#use(destination, 'write', async () => {
        const to = await this.#place(destination, { follow: false, need: 'write', asker });
        checkApart(from, to);
        await this.#withEntries(from, to, async (entry, place) => {
          await this.#checkTransfer(entry);
          await copyEntry(entry, place, failIfExists);
        });
      });
    });
  }

  /** Moves a file, a link itself, or a folder. */
  move(
    { source, destination, failIfExists = false }: Of<ResourceTransferParams>,
    asker: Asker,
  ): Promise<void> {
    return this.#use(source, 'change', async () => {
      const from = await this.#existing(source, { follow: false, need: 'change', asker });
      await this.#use(destination, 'write', async () => {
        const to = await this.#place(destination, { follow: false, need: 'write', asker });
        await this.#refuseInUse(source, from.path);
        if (from.path === to.path) {
          if (failIfExists) throw alreadyExists('file', destination);
          return;
        }
        checkApart(from, to);
        await this.#withEntries(from, to, (entry, place) => this.#moveEntry(entry, place, failIfExists));
      });
    });
  }

  /** The access that a client asks for, and whether it has that already. Rejects for private files. */
  async wanted(
    {
      uri,
      read = false,
      write = false,
    }: { readonly uri: string; readonly read?: boolean; readonly write?: boolean },
    asker: Asker,
  ): Promise<{ readonly wanted: Wanted; readonly isAllowed: boolean }> {
    if (!read && !write) throw invalidParam('read', 'expected read or write to be true');
    return this.#use(uri, read ? 'read' : 'write', async () => {
      const { path } = await findRealPath(resolve(pathOfFileUri(uri)));
      const verdicts = await Promise.all(
        [...(read ? ['read' as const] : []), ...(write ? ['write' as const] : [])].map((need) =>
          this.#policy.verdict(path, need, asker),
        ),
      );
      const isPrivate =
        verdicts.includes('private') ||
        (await this.#policy.lookAtPrivate().then((view) => view.covers(path)));
      if (isPrivate) throw this.#policy.private(uri);
      return { wanted: { path, read, write }, isAllowed: verdicts.every((verdict) => verdict === 'yes') };
    });
  }

  /** Finds the real path of a URI and checks it. */
  async #place(
    uri: string,
    { follow, need, asker }: { readonly follow: boolean; readonly need: Need; readonly asker: Asker },
  ): Promise<Place> {
    const given = resolve(pathOfFileUri(uri));
    const path = follow
      ? (await findRealPath(given)).path
      : dirname(given) === given
        ? given
        : join((await findRealPath(dirname(given))).path, basename(given));
    await this.#policy.check(uri, path, need, asker);
    return { uri, path };
  }

  /** The same for something that exists. */
  async #existing(uri: string, options: { follow: boolean; need: Need; asker: Asker }): Promise<Place> {
    const place = await this.#place(uri, options);
    if ((await factsAt(place.path)) === undefined) throw notFound('file', uri);
    return place;
  }

  async #withEntries(
    from: Place,
    to: Place,
    use: (source: Entry, destination: Entry) => Promise<void>,
  ): Promise<void> {
    if (basename(to.path) === '') throw alreadyExists('folder', to.uri);
    await withFolder(dirname(from.path), (folder) =>
      inExistingParent(to, (other) =>
        use(
          { folder, name: basename(from.path), uri: from.uri },
          { folder: other, name: basename(to.path), uri: to.uri },
        ),
      ),
    );
  }

  async #moveEntry(source: Entry, destination: Entry, failIfExists: boolean): Promise<void> {
    const facts = await lstat(within(source.folder, source.name));
    try {
      if (failIfExists) await refuseExisting(destination);
      await rename(within(source.folder, source.name), within(destination.folder, destination.name));
      await destination.folder.handle.sync();
    } catch (error) {
      if (!hasCode(error, 'EXDEV')) throw placeError(error, destination.uri);
      await this.#checkTransfer(source);
      await (facts.isSymbolicLink() ? copyLink : copyEntry)(source, destination, failIfExists);
      await removeEntry(source.folder, source.name);
    }
  }

  /** Checks a folder that is copied: its size, and that it holds nothing private. */
  async #checkTransfer({ folder, name, uri }: Entry): Promise<void> {
    const facts = await lstat(within(folder, name));
    if (facts.isFile() && facts.size > this.#limits.maxBytes)
      throw invalidParams(
        `${JSON.stringify(uri)} has ${facts.size} bytes, and at most ${this.#limits.maxBytes} are copied at once`,
      );
    if (!facts.isDirectory()) return;
    const check = await this.#privateCheck(uri);
    await withSubfolder(folder, name, async (opened) => {
      if ((await this.#policy.lookAtPrivate()).isBelow(opened.path)) throw this.#holdsPrivate(uri);
      await checkTree(opened, uri, this.#limits, check);
    });
  }

  /** Returns a check of each entry of a tree: private files are also recognized under other names. */
  async #privateCheck(uri: string): Promise<(entry: TreeEntry) => Promise<void>> {
    const view = await this.#policy.lookAtPrivate();
    return async ({ folder, name, facts }) => {
      const mayBeOther = facts.isDirectory() || (facts.isFile() && facts.nlink > 1);
      if (mayBeOther && (await view.covers(join(folder.path, name)))) throw this.#holdsPrivate(uri);
    };
  }

  /** Rejects when a session works in a folder or below it, or when private files are there. */
  async #refuseInUse(uri: string, path: string): Promise<void> {
    if ((await this.#policy.lookAtPrivate()).isBelow(path)) throw this.#holdsPrivate(uri);
    const [folder] = await this.#policy.workingDirectoriesIn(path);
    if (folder !== undefined)
      throw conflict(
        `${JSON.stringify(uri)} is or contains the working directory of a session: dispose the session first`,
      );
  }

  #holdsPrivate(uri: string): Error {
    return this.#policy.private(uri);
  }

  /** Turns errors into errors for the client, which name its own URI. */
  async #use<T>(uri: string, need: Need, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof PathMoved ? this.#policy.outside(uri, need) : toWireError(error, uri);
    }
  }
}

/** Facts of an entry, through its open folder; `undefined` if there is none. */
async function factsAt(path: string): Promise<BigIntStats | undefined> {
  try {
    const name = basename(path);
    return await withFolder(dirname(path), (folder) =>
      // Only the root folder has no name.
      name === '' ? folder.handle.stat({ bigint: true }) : lstat(within(folder, name), { bigint: true }),
    );
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function inExistingParent({ path }: Place, use: Parameters<typeof withFolder<void>>[1]): Promise<void> {
  let isOpen = false;
  try {
    await withFolder(dirname(path), (folder) => {
      isOpen = true;
      return use(folder);
    });
  } catch (error) {
    throw !isOpen && isMissing(error) ? notFound('folder', fileUriOf(dirname(path))) : error;
  }
}

/** Rejects for a folder that would be copied or moved into itself, and the other way round. */
function checkApart(from: Place, to: Place): void {
  if (isWithin(to.path, from.path))
    throw invalidParams(
      `${JSON.stringify(to.uri)} is or lies in ${JSON.stringify(from.uri)}: choose another destination`,
    );
  if (isWithin(from.path, to.path))
    throw conflict(`${JSON.stringify(to.uri)} contains ${JSON.stringify(from.uri)}, and is not replaced`);
}

const notEmpty = (uri: string) =>
  conflict(
    `${JSON.stringify(uri)} is a folder that is not empty: pass recursive to delete it with its content`,
  );
