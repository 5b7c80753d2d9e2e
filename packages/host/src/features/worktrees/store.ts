import type { Sync } from '../../sync/sync.ts';
import type { Tx } from '../../sync/tx.ts';
import { pathOfFileUri } from '../../workspace/file-uri.ts';
import type { Base } from '../../workspace/git/worktree-base.ts';
import { isWithin } from '../../workspace/real-path.ts';

const KEY = 'worktrees';

/** A worktree that the host has made or makes. Paths are absolute and real. */
export interface WorktreeRecord {
  readonly id: string;
  /** `creating`: nobody works in it yet. After a kill it is removed. */
  readonly phase: 'creating' | 'ready';
  /** Absent: the session was disposed of, and the worktree holds work. */
  readonly session?: string;
  /** Its root. */
  readonly path: string;
  /** The working directory in it: its root, or the folder that the session was in. */
  readonly folder: string;
  /** Root of the working tree that it was made from. */
  readonly checkout: string;
  /** The git folder with the objects of the repository. */
  readonly commonDir: string;
  /** The branch that was made with it. */
  readonly branch: string;
  /** Whether the branch has its name from a title. */
  readonly isNamed: boolean;
  readonly base: Base & { readonly upstream?: string };
  readonly note?: string;
  /** Paths of links that the host has made in it, relative to its root. */
  readonly links: readonly string[];
  /** The setup command that waits for the first turn. Absent: none waits. */
  readonly setup?: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** The worktrees of this host. Durable from the tick that changes them. */
export class WorktreeStore {
  #all: readonly WorktreeRecord[];

  private constructor(all: readonly WorktreeRecord[]) {
    this.#all = all;
  }

  static async load(sync: Sync): Promise<WorktreeStore> {
    const text = await sync.journal.readMeta(KEY);
    // `#set` wrote the value.
    const all: WorktreeRecord[] = text === undefined ? [] : JSON.parse(text);
    return new WorktreeStore(all);
  }

  /** Oldest first. */
  get all(): readonly WorktreeRecord[] {
    return this.#all;
  }

  find(id: string): WorktreeRecord | undefined {
    return this.#all.find((each) => each.id === id);
  }

  /** The finished worktrees of a session, oldest first. */
  ofSession(session: string): WorktreeRecord[] {
    return this.#all.filter((each) => each.session === session && each.phase === 'ready');
  }

  /** The finished worktree that contains a working directory, a `file:` URI. Compared as text: something else may have taken its place. */
  containing(directory: string): WorktreeRecord | undefined {
    const path = pathOfFileUri(directory);
    return this.#all.find((each) => each.phase === 'ready' && isWithin(path, each.path));
  }

  /** Adds a record, or replaces the one with its id. */
  put(tx: Tx, record: WorktreeRecord): void {
    const isThere = this.find(record.id) !== undefined;
    this.#set(
      tx,
      isThere ? this.#all.map((each) => (each.id === record.id ? record : each)) : [...this.#all, record],
    );
  }

  /** Changes a record if it is still there. */
  change(tx: Tx, id: string, changes: Partial<WorktreeRecord>): void {
    const record = this.find(id);
    if (record !== undefined) this.put(tx, { ...record, ...changes });
  }

  /** Follows the new name of a branch that other worktrees of the repository were made from. */
  renameBase(tx: Tx, commonDir: string, { from, to }: { readonly from: string; readonly to: string }): void {
    for (const record of this.#all) {
      const { base } = record;
      if (record.commonDir === commonDir && base.kind === 'branch' && base.name === from)
        this.put(tx, { ...record, base: { ...base, name: to } });
    }
  }

  drop(tx: Tx, id: string): void {
    if (this.find(id) !== undefined)
      this.#set(
        tx,
        this.#all.filter((each) => each.id !== id),
      );
  }

  #set(tx: Tx, all: readonly WorktreeRecord[]): void {
    const before = this.#all;
    this.#all = all;
    tx.undo(() => {
      this.#all = before;
    });
    tx.write({ op: 'meta', key: KEY, value: JSON.stringify(all) });
  }
}
