// A git repository with a remote, for tests of the workspace.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NUMBERS = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);

/** A repository with three files, in the folder `path`, that has pushed to a remote in the folder `remote`. */
export class Repository {
  readonly path: string;
  readonly remote: string;
  readonly uri: string;

  constructor(path: string, remote: string) {
    this.path = path;
    this.remote = remote;
    this.uri = `file://${this.path}`;
    mkdirSync(join(this.path, 'src/deep'), { recursive: true });
    this.write('src/one.ts', 'export const one = 1;\nexport const two = 2;\n');
    this.write('src/deep/numbers.txt', `${NUMBERS.join('\n')}\n`);
    this.write('.gitignore', 'dist/\n');
    this.git('init', '-q', '-b', 'main');
    this.git('config', 'user.name', 'Ada');
    this.git('config', 'user.email', 'ada@example.org');
    this.git('add', '.');
    this.git('commit', '-q', '-m', 'Begin');
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', this.remote]);
    this.git('remote', 'add', 'origin', this.remote);
    this.git('push', '-q', '-u', 'origin', 'main');
  }

  /** Commit of the remote's branch. */
  get pushed(): string {
    return this.git('ls-remote', 'origin', 'main').slice(0, 40);
  }

  /** Commit of the checked-out branch. */
  get head(): string {
    return this.git('rev-parse', 'HEAD').trim();
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.path, encoding: 'utf8' });
  }

  write(file: string, content: string): void {
    writeFileSync(join(this.path, file), content);
  }

  read(file: string): string {
    return readFileSync(join(this.path, file), 'utf8');
  }
}
