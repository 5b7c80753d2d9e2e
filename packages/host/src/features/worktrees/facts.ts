import type { SessionWorktree, WorktreeInfo } from '@agenthost/protocol';
import { defined, sameJson } from '@agenthost/protocol/values';
import type { Sync } from '../../sync/sync.ts';
import { fileUriOf } from '../../workspace/file-uri.ts';
import { type Git, GitError } from '../../workspace/git/git.ts';
import { type WorktreeState, workIn, worktreeStateOf } from '../../workspace/git/worktree-state.ts';
import type { WorktreeRecord, WorktreeStore } from './store.ts';

/** A worktree as clients see it in a list. */
export async function infoOf(git: Git, record: WorktreeRecord): Promise<WorktreeInfo> {
  const state = await readState(git, record);
  const { id, session, checkout, createdAt, phase } = record;
  return {
    ...shared(record, state),
    id,
    state: phase === 'creating' ? 'creating' : state === undefined ? 'missing' : 'ready',
    checkout: fileUriOf(checkout),
    createdAt,
    ...defined({ session, holds: state === undefined ? undefined : workIn(state) }),
  };
}

/** `undefined` also if git cannot tell, for example because the worktree is removed at this moment. */
async function readState(git: Git, record: WorktreeRecord): Promise<WorktreeState | undefined> {
  try {
    return await worktreeStateOf(git, record);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return undefined;
  }
}

const shared = ({ path, base, note }: WorktreeRecord, state: WorktreeState | undefined) => ({
  uri: fileUriOf(path),
  base: base.name,
  baseCommit: base.commit,
  ...defined({
    note,
    branch: state?.branch,
    ahead: state?.ahead,
    behind: state?.behind,
    uncommittedChanges: state === undefined ? undefined : state.changed.tracked + state.changed.untracked,
  }),
});

/** Shows the worktrees of sessions in their metadata. */
export class WorktreeFacts {
  readonly #parts: { readonly sync: Sync; readonly git: Git; readonly store: WorktreeStore };
  /** Sessions whose facts are read now. `isAgain`: something has changed meanwhile. */
  readonly #reading = new Map<string, { isAgain: boolean; done: Promise<void> }>();

  constructor(parts: { readonly sync: Sync; readonly git: Git; readonly store: WorktreeStore }) {
    this.#parts = parts;
  }

  /** Reads the state of a session's worktree and shows it. Rejects if git cannot be run. */
  refresh(session: string): Promise<void> {
    const running = this.#reading.get(session);
    if (running !== undefined) {
      running.isAgain = true;
      return running.done;
    }
    const entry = { isAgain: false, done: Promise.resolve() };
    this.#reading.set(session, entry);
    entry.done = this.#loop(session, entry).finally(() => this.#reading.delete(session));
    return entry.done;
  }

  /** Resolves when nothing is read. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#reading.values()].map(({ done }) => done));
  }

  async #loop(session: string, entry: { isAgain: boolean }): Promise<void> {
    do {
      entry.isAgain = false;
      await this.#show(session);
    } while (entry.isAgain);
  }

  async #show(uri: string): Promise<void> {
    const { sync, git, store } = this.#parts;
    const session = await sync.registry.openOf('session', uri);
    const [first] = session?.state.workingDirectories ?? [];
    const record = first === undefined ? undefined : store.containing(first);
    if (session === undefined || record === undefined) return;
    const state = await readState(git, record);
    const worktree: SessionWorktree = {
      ...shared(record, state),
      id: record.id,
      state: state === undefined ? 'missing' : 'ready',
    };
    sync.transact('host', (tx) => {
      const { _meta } = session.state;
      if (!session.isAlive || sameJson(_meta?.['worktree'], worktree)) return;
      tx.emit(session, { type: 'session/metaChanged', _meta: { ..._meta, worktree } });
    });
  }
}
