import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
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
  // A link in the PATH may be the only one of its programs there.
  if (found !== undefined) return dirname(realpathSync(join(found, 'initdb')));
  if (process.env['REQUIRE_ALL'] === '1') throw new Error('PostgreSQL is not installed');
  process.stderr.write(
    "skipped: PostgreSQL is not installed (no initdb in PATH or /usr/lib/postgresql/*/bin; Debian's package is postgresql)\n",
  );
  return undefined;
}

/** A PostgreSQL server of its own, on a socket in a temporary folder. */
export class TestServer {
  readonly #programs: string;
  /** Has the data and the socket. */
  readonly home: string;
  readonly #account: { uid?: number; gid?: number };
  #process: ChildProcess | undefined;

  readonly #settings: readonly string[];

  private constructor(programs: string, settings: readonly string[]) {
    this.#programs = programs;
    this.#settings = settings;
    this.home = mkdtempSync(join(tmpdir(), 'agenthost-pg-'));
    this.#account = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
    const { uid, gid } = this.#account;
    if (uid !== undefined && gid !== undefined) chownSync(this.home, uid, gid);
    chmodSync(this.home, 0o700);
  }

  /** Creates a database cluster, and starts its server. `settings`: such as `max_connections=200`. Its commits are not synced to disk by default. */
  static start(programs: string, settings: readonly string[] = ['fsync=off']): Promise<TestServer> {
    return TestServer.#make(programs, settings, (server) =>
      server.run(
        'initdb',
        '-U',
        'agenthost',
        '-A',
        'trust',
        '--no-sync',
        '-E',
        'UTF8',
        '--locale=C',
        '-D',
        server.#data,
      ),
    );
  }

  /** Copies a running server to a standby that follows it. */
  static standbyOf(primary: TestServer): Promise<TestServer> {
    return TestServer.#make(primary.#programs, primary.#settings, (server) =>
      server.run(
        'pg_basebackup',
        '-h',
        primary.home,
        '-U',
        'agenthost',
        '-R',
        '-c',
        'fast',
        '-D',
        server.#data,
      ),
    );
  }

  static async #make(
    programs: string,
    settings: readonly string[],
    fill: (server: TestServer) => unknown,
  ): Promise<TestServer> {
    const server = new TestServer(programs, settings);
    try {
      fill(server);
      await server.start();
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** A new folder that the server can use, such as one for a tablespace. `prepare` may mount a disk on it. */
  folder(name: string, prepare: (path: string) => void): string {
    const path = join(this.home, name);
    mkdirSync(path);
    prepare(path);
    const { uid, gid } = this.#account;
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
    return path;
  }

  get url(): string {
    return this.urlOf('postgres');
  }

  urlOf(database: string): string {
    return `postgres://agenthost@localhost/${database}?host=${encodeURIComponent(this.home)}`;
  }

  /** Path of the server's socket. */
  get socket(): string {
    return join(this.home, '.s.PGSQL.5432');
  }

  /** Runs a program of PostgreSQL, and returns its output. */
  run(program: string, ...args: readonly string[]): string {
    return execFileSync(join(this.#programs, program), args, {
      ...this.#account,
      cwd: this.home,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** Starts the server again. Rejects when it ends at its start. */
  async start(): Promise<void> {
    const settings = ['listen_addresses=', 'logging_collector=off', ...this.#settings];
    const child = spawn(
      join(this.#programs, 'postgres'),
      ['-D', this.#data, '-k', this.home, ...settings.flatMap((setting) => ['-c', setting])],
      { ...this.#account, cwd: this.home, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#process = child;
    let said = '';
    child.stderr.on('data', (data) => {
      said = `${said}${data}`.slice(-2_000);
    });
    while (child.exitCode === null && child.signalCode === null) {
      try {
        const connection = await Connection.open({ url: this.url }, 'test');
        await connection.end();
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    throw new Error(`PostgreSQL ended at its start: ${said}`);
  }

  /** Ends all processes of the server at once, as a crash does. */
  async kill(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT');
    rmSync(this.home, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  get #data(): string {
    return join(this.home, 'data');
  }
}

function idOf(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, OTHER_USER], { encoding: 'utf8' }));
}
