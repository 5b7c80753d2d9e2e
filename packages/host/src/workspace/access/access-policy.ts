import { permissionDenied, ROOT_URI, type WireError } from '@agenthost/protocol';
import { isWithinAny } from '../path-policy.ts';
import type { PrivatePaths } from '../private-paths.ts';
import { findRealPath, isWithin } from '../real-path.ts';
import type { Asker, Grants } from './grants.ts';

/** Limit of roots that a refusal lists. */
const MAX_NAMED_ROOTS = 5;

/**
 * What somebody wants to do with a path. `look`: list it or read its facts. `make`: make a folder. `change`: read and write, to move it away.
 */
export type Need = 'look' | 'make' | 'read' | 'write' | 'change';

/** The access that each need requires. */
const ACCESS: Readonly<Record<Need, readonly ('read' | 'write')[]>> = {
  look: ['read'],
  make: ['write'],
  read: ['read'],
  write: ['write'],
  change: ['read', 'write'],
};

/** Options of an `AccessPolicy`. All paths are absolute. */
export interface AccessPolicyOptions {
  /** Within them everybody may look and make folders. */
  readonly roots: readonly string[];
  /** Everybody may read within them. */
  readonly readable?: readonly string[];
  /** Everybody may read and write within them. */
  readonly writable?: readonly string[];
  /** The sessions' working directories. Called for each decision. */
  readonly workingDirectories: () => Promise<readonly string[]>;
  readonly privatePaths: Pick<PrivatePaths, 'covers' | 'look'>;
  readonly grants: Grants;
}

/**
 * Decides which files clients may use, by real paths [RES-2]. A decision is valid only at that moment: open the path afterwards in a way that
 * follows no link that came since, as `openReal` does.
 */
export class AccessPolicy {
  readonly #options: AccessPolicyOptions;

  constructor(options: AccessPolicyOptions) {
    this.#options = options;
  }

  /** Whether a client may do something with a real path. */
  async verdict(path: string, need: Need, asker: Asker): Promise<'yes' | 'outside' | 'private'> {
    if (!(await this.#isOpen(path, need, asker))) return 'outside';
    return (await this.#options.privatePaths.covers(path)) ? 'private' : 'yes';
  }

  /** Rejects with `-32009` if the verdict is not yes. `uri`: the name that the client used. */
  async check(uri: string, path: string, need: Need, asker: Asker): Promise<void> {
    const verdict = await this.verdict(path, need, asker);
    if (verdict === 'yes') return;
    throw verdict === 'private' ? this.private(uri) : this.outside(uri, need);
  }

  /** The refusal of a private file. No client can get access to it. */
  private(uri: string): WireError {
    return permissionDenied(`${JSON.stringify(uri)} belongs to the host itself, and clients cannot read it`, {
      'x-refusal': { kind: 'folder', uri, reason: 'private' },
    });
  }

  /** The refusal of a path outside, with the request that would unlock it. */
  outside(uri: string, need: Need): WireError {
    const request = {
      channel: ROOT_URI,
      uri,
      ...Object.fromEntries(ACCESS[need].map((access) => [access, true])),
    } as const;
    const name = JSON.stringify(uri);
    const roots = this.#options.roots.slice(0, MAX_NAMED_ROOTS);
    if (need === 'look' || need === 'make') {
      const where = roots.length === 0 ? 'this host offers none' : `choose one within ${roots.join(', ')}`;
      return permissionDenied(`${name} is outside the folders that this host offers: ${where}`, {
        request,
        'x-refusal': { kind: 'folder', uri, reason: 'outside', roots },
      });
    }
    return permissionDenied(
      `${name} is not in a working directory of a session: start a session in its folder, or ask for access with resourceRequest`,
      { request },
    );
  }

  /** The working directories that are this real path or lie below it. */
  async workingDirectoriesIn(path: string): Promise<string[]> {
    const found: string[] = [];
    for (const folder of new Set(await this.#options.workingDirectories()))
      if (isWithin((await realOrGiven(folder)).path, path)) found.push(folder);
    return found;
  }

  /** The private files at this moment. */
  lookAtPrivate(): ReturnType<PrivatePaths['look']> {
    return this.#options.privatePaths.look();
  }

  async #isOpen(path: string, need: Need, asker: Asker): Promise<boolean> {
    const { grants, roots, readable = [], writable = [], workingDirectories } = this.#options;
    const isPicking = need === 'look' || need === 'make';
    if (isPicking && asker.isAdmin) return true;
    if (ACCESS[need].every((access) => grants.allows(asker, path, access))) return true;
    return isWithinAny(path, [
      ...(await workingDirectories()),
      ...writable,
      ...(ACCESS[need].includes('write') ? [] : readable),
      ...(isPicking ? roots : []),
    ]);
  }
}

const realOrGiven = (folder: string): Promise<{ readonly path: string }> =>
  findRealPath(folder).catch(() => ({ path: folder }));
