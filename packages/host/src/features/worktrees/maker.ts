import { stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { errorCode } from '@agenthost/protocol/values';
import type { Clock, Ids } from '../../lib/clock.ts';
import type { Sync } from '../../sync/sync.ts';
import type { Git } from '../../workspace/git/git.ts';
import { findRepository, type Repository } from '../../workspace/git/repository.ts';
import { addWorktree, dropWorktree, freeBranchName } from '../../workspace/git/worktree.ts';
import { askGit, type Base, findBase, freshen, WorktreeRefusal } from '../../workspace/git/worktree-base.ts';
import { bringFiles } from '../../workspace/git/worktree-files.ts';
import {
  readWorktreeFile,
  WorktreeFileFault,
  type WorktreeProject,
} from '../../workspace/git/worktree-project.ts';
import { findRealPath } from '../../workspace/real-path.ts';
import type { WorktreeRecord, WorktreeStore } from './store.ts';

/** A worktree that can be made. */
interface Plan {
  readonly repository: Repository;
  /** The session's folder, relative to the root of the repository; '' for the root. */
  readonly scope: string;
  readonly base: Base;
}

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly git: Git;
  readonly store: WorktreeStore;
  /** Absolute path of the folder for worktrees. Absent: none can be made. */
  readonly folder: string | undefined;
}

/** Makes worktrees, one at a time for each repository. */
export class WorktreeMaker {
  readonly #parts: Parts;
  /** The last work on each repository, by its git folder. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Checks whether a worktree can be made for a folder. Rejects with `WorktreeRefusal`. */
  async plan(folder: string, baseName: string): Promise<Plan> {
    const { git } = this.#parts;
    if (this.#parts.folder === undefined)
      throw new WorktreeRefusal('This host has no data folder, and makes no worktrees');
    if ((await git.version()) === undefined)
      throw new WorktreeRefusal('There is no git program on this host, and a worktree needs one');
    const real = await findRealPath(folder);
    const repository = await findRepository(real.path);
    if (repository === undefined)
      throw new WorktreeRefusal(
        `${folder} is not in the working tree of a git repository, and a worktree needs one`,
      );
    if ((await askGit(git, repository, ['rev-parse', '--is-inside-work-tree'])) !== 'true')
      throw new WorktreeRefusal(`Git does not use ${repository.root} as a working tree`);
    const base = await findBase(git, repository, baseName);
    return { repository, scope: relative(repository.root, real.path), base };
  }

  /**
   * Makes a worktree. The record is stored as `creating` before anything is made; the caller stores it as `ready`, or calls `discard`. Rejects
   * with `WorktreeRefusal`; then nothing of it is left.
   * @param titleOf called late: the title may still come
   */
  make({ repository, scope, base }: Plan, session: string, titleOf: () => string): Promise<WorktreeRecord> {
    return this.exclusive(repository.commonDir, async () => {
      const { sync, clock, ids, git, store } = this.#parts;
      const id = ids.next();
      const fresh = await freshen(git, repository, base);
      const title = titleOf();
      const branch = await freeBranchName(git, repository, { title, id: id.slice(0, 8) });
      const path = await this.#newPath(id, repository);
      const { kind, name, commit, upstream } = fresh;
      const record: WorktreeRecord = {
        id,
        phase: 'creating',
        session,
        path,
        folder: join(path, scope),
        checkout: repository.root,
        commonDir: repository.commonDir,
        branch,
        isNamed: title !== '',
        base: { kind, name, commit, ...(upstream === undefined ? {} : { upstream }) },
        links: [],
        createdAt: new Date(clock.now()).toISOString(),
      };
      await sync.commit('host', (tx) => store.put(tx, record));
      try {
        await addWorktree(git, repository, { path, branch, commit });
        return await this.#prepare(record, scope, fresh.note);
      } catch (error) {
        await this.discard(record);
        throw error;
      }
    });
  }

  /** Removes a worktree that nobody has worked in, and its record. */
  async discard({ id, commonDir, path, branch, base }: WorktreeRecord): Promise<void> {
    const { sync, git, store } = this.#parts;
    await dropWorktree(git, { root: commonDir }, { path, branch, commit: base.commit });
    await sync.commit('host', (tx) => store.drop(tx, id));
  }

  /** Runs `work` alone on the repository with this git folder. */
  exclusive<T>(commonDir: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(commonDir) ?? Promise.resolve();
    const done = before.then(work, work);
    this.#last.set(commonDir, done);
    const forget = (): void => {
      if (this.#last.get(commonDir) === done) this.#last.delete(commonDir);
    };
    done.then(forget, forget);
    return done;
  }

  /** Resolves when no work runs. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#last.values()]);
  }

  async #newPath(id: string, { root }: Repository): Promise<string> {
    const { folder = '' } = this.#parts;
    const name = basename(root) || 'worktree';
    const short = id.replace(/[^\w-]/g, '').slice(0, 8);
    for (let number = 1; ; number += 1) {
      const { path, exists } = await findRealPath(
        join(folder, number === 1 ? short : `${short}-${number}`, name),
      );
      if (!exists) return path;
    }
  }

  /** Brings the listed files into a new worktree. */
  async #prepare(record: WorktreeRecord, scope: string, note: string | undefined): Promise<WorktreeRecord> {
    const { git } = this.#parts;
    const { path, folder, checkout, base } = record;
    if (!(await isFolder(folder)))
      throw new WorktreeRefusal(`${base.name} has no folder ${scope}, or leaves it out of the checkout`);
    const notes = note === undefined ? [] : [note];
    const project = await this.#projectOf(record, notes);
    const leftOut = project === undefined ? [] : await bringFiles(checkout, path, project);
    notes.push(...leftOut.map((each) => `${each.path} was left out: ${each.reason}`));
    const links = (project?.link ?? []).filter((each) => !leftOut.some(({ path: left }) => left === each));
    if (links.length > 0) {
      const listed = await askGit(git, { root: path }, [
        'ls-files',
        '--others',
        '--exclude-standard',
        '-z',
        '--',
        ...links,
      ]);
      const shown = listed?.split('\0').filter((each) => each !== '') ?? [];
      notes.push(
        ...shown.map(
          (each) =>
            `git does not ignore the link ${each}: write ${each} without a slash at its end into .gitignore`,
        ),
      );
    }
    if (
      (await askGit(git, { root: path }, ['ls-files', '--error-unmatch', '--', '.gitmodules'])) !== undefined
    )
      notes.push('submodules are not checked out: `git submodule update --init` does it');
    return {
      ...record,
      links,
      ...(project?.setup === undefined ? {} : { setup: project.setup }),
      ...(notes.length === 0 ? {} : { note: notes.join('. ').slice(0, 2_000) }),
    };
  }

  async #projectOf(
    { path, checkout }: WorktreeRecord,
    notes: string[],
  ): Promise<WorktreeProject | undefined> {
    try {
      return (await readWorktreeFile(path)) ?? (await readWorktreeFile(checkout));
    } catch (error) {
      if (!(error instanceof WorktreeFileFault)) throw error;
      notes.push(error.message);
      return undefined;
    }
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}
