import type { AccessGrant } from '@agenthost/protocol';
import type { Ids } from '../../lib/clock.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { fileUriOf } from '../file-uri.ts';
import { isWithin } from '../real-path.ts';

const KEY = 'grants';
/** Maximum number of grants. The oldest are removed above it. */
const MAX_GRANTS = 1_000;

/** A client that asks for a file. */
export interface Asker {
  readonly clientId: string;
  /** Hash of its token. A grant belongs to both. */
  readonly tokenHash: string;
  readonly isAdmin: boolean;
}

/** The access that a client has been given or asks for. */
export interface Wanted {
  /** Real path of a file, or of a folder with everything below it. */
  readonly path: string;
  readonly read: boolean;
  readonly write: boolean;
}

/** A grant as it is stored. */
export interface StoredGrant extends Wanted {
  readonly id: string;
  readonly clientId: string;
  readonly tokenHash: string;
  readonly createdAt: string;
  readonly grantedBy: string;
}

/** Finds grants, for decisions about a path. */
export interface Grants {
  /** Whether a client has been given this access to a real path. */
  allows(asker: Asker, path: string, access: 'read' | 'write'): boolean;
}

/** The access to files that admins have given to clients [RES-2]. Durable from the tick that changes it. */
export class GrantStore implements Grants {
  readonly #sync: Sync;
  readonly #ids: Ids;
  readonly #changed = new Set<() => void>();
  #all: readonly StoredGrant[];

  private constructor(sync: Sync, ids: Ids, all: readonly StoredGrant[]) {
    this.#sync = sync;
    this.#ids = ids;
    this.#all = all;
  }

  static async load(sync: Sync, ids: Ids): Promise<GrantStore> {
    const text = await sync.journal.readMeta(KEY);
    // `#set` wrote the value.
    const all: StoredGrant[] = text === undefined ? [] : JSON.parse(text);
    return new GrantStore(sync, ids, all);
  }

  /** Oldest first. */
  get all(): readonly StoredGrant[] {
    return this.#all;
  }

  /** Calls `listener` after the commit of every change. */
  onChange(listener: () => void): void {
    this.#changed.add(listener);
  }

  // The stored path is compared as text: both are real paths, so a link that takes its place later leads to another real path.
  allows({ clientId, tokenHash }: Asker, path: string, access: 'read' | 'write'): boolean {
    return this.#all.some(
      (grant) =>
        grant.clientId === clientId &&
        grant.tokenHash === tokenHash &&
        grant[access] &&
        isWithin(path, grant.path),
    );
  }

  /** Adds a grant, or widens the client's grant for the same path. */
  add(tx: Tx, { clientId, tokenHash }: Omit<Asker, 'isAdmin'>, wanted: Wanted, grantedBy: string): void {
    const before = this.#all.find(
      (grant) => grant.clientId === clientId && grant.tokenHash === tokenHash && grant.path === wanted.path,
    );
    const grant: StoredGrant = {
      id: before?.id ?? this.#ids.next(),
      clientId,
      tokenHash,
      path: wanted.path,
      read: wanted.read || before?.read === true,
      write: wanted.write || before?.write === true,
      createdAt: before?.createdAt ?? new Date(this.#sync.stamp()).toISOString(),
      grantedBy,
    };
    const others = this.#all.filter((each) => each !== before);
    this.#set(tx, [...others, grant].slice(-MAX_GRANTS));
  }

  /** Removes the grants for which `isOver` returns true. */
  drop(tx: Tx, isOver: (grant: StoredGrant) => boolean): void {
    const left = this.#all.filter((grant) => !isOver(grant));
    if (left.length < this.#all.length) this.#set(tx, left);
  }

  #set(tx: Tx, all: readonly StoredGrant[]): void {
    const before = this.#all;
    this.#all = all;
    tx.undo(() => {
      this.#all = before;
    });
    tx.write({ op: 'meta', key: KEY, value: JSON.stringify(all) });
    tx.effect(() => {
      for (const listener of this.#changed) listener();
    });
  }
}

/** A grant as clients see it: without the token. */
export function shownGrant({ path, tokenHash: _, ...grant }: StoredGrant): AccessGrant {
  return { ...grant, uri: fileUriOf(path) };
}
