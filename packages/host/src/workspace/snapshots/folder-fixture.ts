import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { gitEnvironment } from '../git/environment-fixture.ts';
import { Git, type GitCall, type GitOutput } from '../git/git.ts';
import { TreeStores } from './stores.ts';

/** A folder for one test, with real git repositories in it. */
export class FolderFixture {
  readonly path = mkdtempSync(join(tmpdir(), 'snapshots-'));
  /** The working tree. */
  readonly tree = join(this.path, 'tree');
  readonly stores: TreeStores;

  /** Calls of git that the stores have made. */
  gitCalls: readonly string[] = [];
  /** The git of the stores. */
  readonly storeGit: Git;

  constructor(limits: ConstructorParameters<typeof TreeStores>[1]['limits'] = {}) {
    mkdirSync(this.tree);
    this.storeGit = new NotingGit((name) => (this.gitCalls = [...this.gitCalls, name]));
    this.stores = new TreeStores(join(this.path, 'data', 'trees'), {
      git: this.storeGit,
      limits,
      now: () => performance.now(),
      isPrivate: (path) => path.startsWith(join(this.path, 'data')),
    });
    onTestFinished(() => this[Symbol.asyncDispose]());
  }

  /** Removes the folder before the end of the test. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stores.close();
    rmSync(this.path, { recursive: true, force: true });
  }

  /** Runs the user's git in a folder of the tree, without the configuration of this machine. */
  git(args: readonly string[], folder = ''): string {
    return execFileSync('git', args, {
      cwd: join(this.tree, folder),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: gitEnvironment(this.path),
    }).trim();
  }

  /** Makes the tree a repository with one commit of its present files. */
  commit(message = 'first'): void {
    this.git(['init', '-q', '-b', 'main']);
    this.git(['add', '-A']);
    this.git(['commit', '-q', '--allow-empty', '-m', message]);
  }

  write(path: string, content: string | Buffer): void {
    const full = join(this.tree, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
  }

  remove(path: string): void {
    rmSync(join(this.tree, path), { recursive: true });
  }
}

/** Tells the name of each command of git that runs. */
class NotingGit extends Git {
  readonly #note: (name: string) => void;

  constructor(note: (name: string) => void) {
    super();
    this.#note = note;
  }

  override run(args: readonly string[], call?: GitCall): Promise<GitOutput> {
    this.#note(args[0] ?? '');
    return super.run(args, call);
  }
}

/** Names, contents and modification times of all files below a folder. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const path = join(folder, name);
      const stats = lstatSync(path);
      if (stats.isSymbolicLink()) return `${name} -> ${readlinkSync(path)}`;
      return stats.isFile()
        ? `${name} ${stats.mode} ${stats.mtimeMs} ${readFileSync(path).toString('hex').slice(0, 2_000)}`
        : name;
    });
}
