import { join } from 'node:path';
import type { Log } from '../../lib/log.ts';
import type { Sync } from '../../sync/sync.ts';
import { type Git, GitError } from '../../workspace/git/git.ts';
import { environmentOf, findRepository, type Repository } from '../../workspace/git/repository.ts';
import type { LiveChangesets } from './live-changesets.ts';
import type { SessionGits } from './session-git.ts';
import type { ChangeSource } from './source.ts';
import { gitWatches, type TreeWatches, treeWatch, type WantedWatch } from './tree-watches.ts';
import { subjectOf } from './uris.ts';

interface Parts {
  readonly sync: Sync;
  readonly log: Log;
  readonly git: Git;
  readonly source: ChangeSource;
  readonly live: LiveChangesets;
  readonly gits: SessionGits;
  readonly watches: TreeWatches;
}

/** Decides which trees are watched: those of uncommitted changes and branches that clients see, and the repositories of sessions that they see. */
export class WatchPlan {
  readonly #parts: Parts;
  /** Whether git tracks ignored files of a tree, which its watch does not report; by the path of the tree. */
  readonly #partial = new Map<string, boolean>();
  /** The trees of each watched changeset. */
  #trees = new Map<string, readonly string[]>();
  #running: Promise<void> | undefined;
  #isAgain = false;
  #isOver = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Follows the present subscriptions. Resolves when the watches run. Never rejects. */
  update(): Promise<void> {
    if (this.#running !== undefined) {
      this.#isAgain = true;
      return this.#running;
    }
    if (this.#isOver) return Promise.resolve();
    this.#running = this.#loop()
      .catch((error: unknown) => this.#parts.log.warn({ error }, 'the working trees are not watched'))
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  /** Looks at what clients see and no watch reports. */
  look(): void {
    const { sync, live, gits, watches } = this.#parts;
    for (const channel of live.watched())
      if (this.#isBlind(channel.uri)) {
        void live.compute(channel, { isQuiet: true });
        gits.changed(channel.session ?? '');
      }
    for (const session of sync.registry.ofKind('session'))
      if (session.subscriptions.size > 0 && watches.isBlind(session.uri)) gits.changed(session.uri);
  }

  #isBlind(uri: string): boolean {
    const trees = this.#trees.get(uri);
    return (
      trees === undefined ||
      this.#parts.watches.isBlind(uri) ||
      trees.some((tree) => this.#partial.get(tree) !== false)
    );
  }

  async #loop(): Promise<void> {
    do {
      this.#isAgain = false;
      await this.#update();
    } while (this.#isAgain && !this.#isOver);
  }

  async #update(): Promise<void> {
    const { sync, source, live, gits, watches } = this.#parts;
    const wanted: WantedWatch[] = [];
    const trees = new Map<string, readonly string[]>();
    for (const { uri } of live.watched()) {
      const subject = subjectOf(uri);
      const folders = subject === undefined ? [] : await source.folders(subject);
      const roots = folders.map(({ store, scope }) => join(store.root, scope));
      trees.set(uri, roots);
      for (const [index, root] of roots.entries()) {
        wanted.push(treeWatch(root, uri));
        const repository = await findRepository(folders[index]?.store.root ?? root);
        if (repository === undefined) continue;
        wanted.push(...gitWatches(repository, uri));
        if (!this.#partial.has(root)) this.#partial.set(root, await this.#hasIgnored(repository, root));
      }
    }
    for (const session of sync.registry.ofKind('session')) {
      if (session.subscriptions.size === 0) continue;
      const found = await gits.repositoryOf(session.uri).catch(() => undefined);
      if (found !== undefined) wanted.push(...gitWatches(found.repository, session.uri));
    }
    this.#trees = trees;
    const seen = new Set([...trees.values()].flat());
    for (const root of this.#partial.keys()) if (!seen.has(root)) this.#partial.delete(root);
    if (!this.#isOver) await watches.want(wanted);
  }

  async #hasIgnored(repository: Repository, root: string): Promise<boolean> {
    try {
      const { stdout } = await this.#parts.git.run(
        ['ls-files', '--cached', '--ignored', '--exclude-per-directory=.gitignore', '-z', '--', '.'],
        { cwd: root, env: environmentOf(repository) },
      );
      return stdout.length > 0;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      return true;
    }
  }

  /** Ends all watches. Resolves when no more are started. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#parts.watches.stop();
    await this.#running;
    this.#parts.watches.stop();
  }
}
