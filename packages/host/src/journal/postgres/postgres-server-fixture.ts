import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Connection } from './connection.ts';

/** The user that the server's processes run as when the tests run as root, which the server refuses. */
const OTHER_USER = 'nobody';

/**
 * The folder of `initdb`: of the PATH, or of Debian's packages. When PostgreSQL is not installed, throws under REQUIRE_ALL=1, else says so, and
 * tests are skipped.
 */
export function findPrograms(): string | undefined {
  const packaged = '/usr/lib/postgresql';
  const versions = existsSync(packaged)
    ? readdirSync(packaged).toSorted((a, b) => Number(b) - Number(a))
    : [];
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = [...folders, ...versions.map((version) => join(packaged, version, 'bin'))].find((folder) =>
    existsSync(join(folder, 'initdb')),
  );
  if (found !== undefined) return found;
  if (process.env['REQUIRE_ALL'] === '1') throw new Error('PostgreSQL is not installed');
  process.stderr.write(
    "skipped: PostgreSQL is not installed (no initdb in PATH or /usr/lib/postgresql/*/bin; Debian's package is postgresql)\n",
  );
  return undefined;
}

/** A PostgreSQL server of its own, on a socket in a temporary folder. */
export class TestServer {
  readonly #programs: string;
  readonly #folder: string;
  readonly #account: { uid?: number; gid?: number };
  #process: ChildProcess | undefined;

  readonly #settings: readonly string[];

  private constructor(programs: string, settings: readonly string[]) {
    this.#programs = programs;
    this.#settings = settings;
    this.#folder = mkdtempSync(join(tmpdir(), 'agenthost-pg-'));
    this.#account = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
    const { uid, gid } = this.#account;
    if (uid !== undefined && gid !== undefined) chownSync(this.#folder, uid, gid);
    chmodSync(this.#folder, 0o700);
  }

  /** Creates a database cluster, and starts its server. `settings`: such as `max_connections=200`. Its commits are not synced to disk by default. */
  static async start(programs: string, settings: readonly string[] = ['fsync=off']): Promise<TestServer> {
    const server = new TestServer(programs, settings);
    execFileSync(
      join(programs, 'initdb'),
      ['-D', server.#data, '-U', 'agenthost', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
      { ...server.#account, cwd: server.#folder, stdio: 'ignore' },
    );
    await server.start();
    return server;
  }

  /** A new folder that the server can use, such as one for a tablespace. `prepare` may mount a disk on it. */
  folder(name: string, prepare: (path: string) => void): string {
    const path = join(this.#folder, name);
    mkdirSync(path);
    prepare(path);
    const { uid, gid } = this.#account;
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
    return path;
  }

  get url(): string {
    return `postgres://agenthost@localhost/postgres?host=${encodeURIComponent(this.#folder)}`;
  }

  /** Starts the server again. */
  async start(): Promise<void> {
    this.#process = spawn(
      join(this.#programs, 'postgres'),
      [
        '-D',
        this.#data,
        '-k',
        this.#folder,
        '-c',
        'listen_addresses=',
        '-c',
        'logging_collector=off',
        ...this.#settings.flatMap((setting) => ['-c', setting]),
      ],
      { ...this.#account, cwd: this.#folder, stdio: 'ignore' },
    );
    for (;;) {
      try {
        const connection = await Connection.open({ url: this.url }, 'test');
        await connection.end();
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  /** Ends all processes of the server at once, as a crash does. */
  async kill(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }
}

function idOf(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, OTHER_USER], { encoding: 'utf8' }));
}
