import { errorText } from '@agenthost/protocol/values';
import type { Log } from '../../lib/log.ts';
import type { Sync } from '../../sync/sync.ts';
import { type Git, GitError } from '../../workspace/git/git.ts';
import { deleteBranch, freeBranchName, removeWorktree, renameBranch } from '../../workspace/git/worktree.ts';
import { WorktreeRefusal } from '../../workspace/git/worktree-base.ts';
import { unlinkLinks } from '../../workspace/git/worktree-files.ts';
import { type WorktreeState, workIn, worktreeStateOf } from '../../workspace/git/worktree-state.ts';
import { findRealPath, isWithin } from '../../workspace/real-path.ts';
import type { WorktreeMaker } from './maker.ts';
import type { WorktreeRecord, WorktreeStore } from './store.ts';

interface Parts {
  readonly sync: Sync;
  readonly log: Log;
  readonly git: Git;
  readonly store: WorktreeStore;
  readonly maker: Pick<WorktreeMaker, 'exclusive'>;
  /** Absolute paths of the folders that sessions and chats work in. */
  listFolders(): Promise<readonly string[]>;
  /** Resolves when the agents of removed sessions have ended. */
  agentsClosed(): Promise<void>;
}

/** Names worktrees, and removes those that hold no work. */
export class WorktreeKeeper {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Names the branches of a session's worktrees that have no name yet. Never rejects for errors of git. */
  async name(session: string, title: string): Promise<void> {
    const { sync, git, store, maker } = this.#parts;
    for (const { id, commonDir } of store.ofSession(session)) {
      await maker.exclusive(commonDir, async () => {
        const record = store.find(id);
        if (record === undefined || record.isNamed || title.trim() === '') return;
        const { path, branch } = record;
        const repository = { root: path, gitDir: path, commonDir };
        const wanted = await freeBranchName(git, repository, { title, id });
        const isRenamed = await renameBranch(git, repository, branch, wanted);
        await sync.commit('host', (tx) => {
          store.change(tx, id, { isNamed: true, ...(isRenamed ? { branch: wanted } : {}) });
          if (isRenamed) store.renameBase(tx, commonDir, { from: branch, to: wanted });
        });
      });
    }
  }

  /** Removes the worktrees of sessions that are gone, this one and earlier ones, if they hold no work. The others stay in the list. */
  async release(session: string): Promise<void> {
    const { sync, store, agentsClosed } = this.#parts;
    const own = store.all.filter((record) => record.session === session && record.phase === 'ready');
    if (own.length > 0)
      await sync.commit('host', (tx) => {
        for (const { id } of own) {
          const record = store.find(id);
          if (record === undefined) continue;
          const { session: _, ...rest } = record;
          store.put(tx, rest);
        }
      });
    await agentsClosed();
    // The newest first: it may have been made from an older one.
    for (const record of store.all.toReversed())
      if (record.session === undefined) await this.removeIfIdle(record);
  }

  /** Removes a worktree without a session if it holds no work. Never rejects for errors of git. */
  async removeIfIdle({ id }: WorktreeRecord): Promise<void> {
    try {
      await this.remove(id, { discard: false });
    } catch (error) {
      if (!(error instanceof WorktreeRefusal || error instanceof GitError)) throw error;
      this.#parts.log.info({ worktree: id, reason: errorText(error) }, 'a worktree was kept');
    }
  }

  /**
   * Removes a worktree, and its branch if that is merged. Rejects with `WorktreeRefusal` while a session works in it, and if work would get
   * lost. `discard`: uncommitted files are deleted too.
   */
  async remove(id: string, { discard }: { readonly discard: boolean }): Promise<string> {
    const { store, maker } = this.#parts;
    const record = store.find(id);
    if (record === undefined) return 'The worktree is gone';
    return maker.exclusive(record.commonDir, () => this.#remove(record, discard));
  }

  async #remove(record: WorktreeRecord, discard: boolean): Promise<string> {
    const { sync, git, store, listFolders } = this.#parts;
    const { id, path, commonDir, branch, links } = record;
    // The checkout that it was made from may be gone.
    const repository = { root: commonDir };
    if ((await listFolders()).some((folder) => isWithin(folder, path)))
      throw new WorktreeRefusal(`A session works in ${path}: delete the session first`);
    const state = await worktreeStateOf(git, record);
    if (state === undefined && (await findRealPath(path)).exists)
      throw new WorktreeRefusal(
        `${path} is no worktree for git any more: keep what you need of it, and delete the folder yourself`,
      );
    if (state !== undefined) {
      checkRemovable(record, state, discard);
      await unlinkLinks(path, links);
      try {
        await removeWorktree(git, repository, path, { isForced: discard || state.hasSubmodules });
      } catch (error) {
        if (!(error instanceof GitError)) throw error;
        throw new WorktreeRefusal(`${path} was not removed: ${error.message}`, { cause: error });
      }
      if (state.isMerged && state.branch === branch)
        await deleteBranch(git, repository, branch, state.commit);
    }
    await sync.commit('host', (tx) => store.drop(tx, id));
    if (state === undefined) return `${path} was gone already`;
    return state.isMerged || state.branch === undefined
      ? `Removed ${path}`
      : `Removed ${path}. Its commits are on the branch ${state.branch}`;
  }
}

function checkRemovable({ path }: WorktreeRecord, state: WorktreeState, discard: boolean): void {
  const work = workIn(state);
  if (work === undefined) return;
  if (!discard) throw new WorktreeRefusal(`${path} holds ${work}`);
  if (!state.isOnBranch && !state.isPushed)
    throw new WorktreeRefusal(`${path} holds commits that are on no branch: make a branch of them first`);
}
