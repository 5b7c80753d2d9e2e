import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Timers } from '../../lib/clock.ts';
import { FolderFixture } from '../snapshots/folder-fixture.ts';
import { gitEnvironment } from './environment-fixture.ts';
import { Git } from './git.ts';
import type { GitTree } from './git-tree.ts';
import { findRepository } from './repository.ts';
import { UserGit } from './user-git.ts';

/** A folder with repositories, and git as the user would run it there. */
export class GitTreeFixture extends FolderFixture {
  readonly #timers: Timers;
  readonly env: Record<string, string> = gitEnvironment(this.path);

  constructor(timers: Timers) {
    super();
    this.#timers = timers;
  }

  /** The working tree that contains a folder of the tree; its operations concern this folder. */
  async at(
    folder = '',
    { isPrivate = () => false, holdsPrivate = () => false }: Partial<GitTree> = {},
  ): Promise<GitTree> {
    const repository = await findRepository(join(this.tree, folder));
    if (repository === undefined) throw new Error('no repository');
    const user = new UserGit({ timers: this.#timers, env: this.env });
    onTestFinished(() => user.stop());
    const scope = join(this.tree, folder).slice(repository.root.length + 1);
    return { repository, scopes: [scope], reader: new Git({ env: this.env }), user, isPrivate, holdsPrivate };
  }

  /** A repository beside the tree that it pushes to, with the commits of the tree. */
  addRemote(): string {
    const remote = join(this.path, 'remote.git');
    this.git(['init', '-q', '--bare', '-b', 'main', remote]);
    this.git(['remote', 'add', 'origin', remote]);
    this.git(['push', '-q', '-u', 'origin', 'main']);
    return remote;
  }

  /** Commits a file by another clone of the remote, and pushes it. */
  commitElsewhere(path: string, content: string): void {
    const other = `../other-${path.replace(/\W/g, '')}`;
    this.git(['clone', '-q', join(this.path, 'remote.git'), other]);
    this.write(join(other, path), content);
    this.git(['add', '-A'], other);
    this.git(['commit', '-q', '-m', `other ${path}`], other);
    this.git(['push', '-q'], other);
  }

  /** Writes a program. */
  script(path: string, text: string): string {
    const full = join(this.tree, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, `#!/bin/sh\n${text}\n`);
    chmodSync(full, 0o755);
    return full;
  }

  /** The status of the tree, as git prints it in short. */
  get status(): string[] {
    return this.git(['status', '--short', '--branch', '--untracked-files=all']).split('\n').slice(1);
  }
}
