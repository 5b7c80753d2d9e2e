import { execFile } from 'node:child_process';
import type { FoundPort, PortScanner, ScanInput } from './port-scanner.ts';
import { onePerPort } from './ports-of-sessions.ts';
import type { ProcessEntry } from './process-table.ts';
import { programName } from './program-name.ts';
import { SessionProcesses, sessionsIn } from './session-processes.ts';

/** A process that listens, as `lsof` prints it. */
interface Listener {
  readonly pid: number;
  readonly address: string;
  readonly port: number;
}

/** Time limit for a command. */
const TIMEOUT_MS = 5_000;

/** Most output of a command. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Finds ports by `lsof` and `ps`, which take tens of milliseconds of another core. */
export class MacPortScanner implements PortScanner {
  readonly intervalMs = 5_000;
  readonly #processes = new SessionProcesses();

  async scan({ roots, foldersOf }: ScanInput): Promise<ReadonlyMap<string, readonly FoundPort[]>> {
    const [listeners, table] = await Promise.all([
      run('/usr/sbin/lsof', [
        '-nP',
        '-a',
        '-u',
        String(process.getuid?.() ?? 0),
        '-iTCP',
        '-sTCP:LISTEN',
        '-Fpn',
      ]),
      run('/bin/ps', ['-axo', 'pid=,ppid=,lstart=,args=']),
    ]);
    const { entries, argsOf } = readPs(table);
    const members = new Map(
      this.#processes.find(entries, roots).map(({ entry, root }) => [entry.pid, root] as const),
    );
    const found = readLsof(listeners).flatMap(({ pid, port, address }) => {
      const root = members.get(pid);
      const program = programName(argsOf.get(pid) ?? []);
      if (root === undefined || program === undefined) return [];
      const { name, title } = program;
      const shown = { port, address, pid, process: name, ...(title === undefined ? {} : { title }) };
      // The folder of a process would take one more command.
      return [{ port: shown, sessions: sessionsIn(undefined, root, foldersOf) }];
    });
    return onePerPort(found);
  }
}

/** Reads `lsof -Fpn`: a line `p<pid>` for each process, and a line `n<address>:<port>` for each socket. */
export function readLsof(text: string): readonly Listener[] {
  const found: Listener[] = [];
  let pid = 0;
  for (const line of text.split('\n')) {
    if (line.startsWith('p')) pid = Number(line.slice(1));
    const [, name = '', port = ''] = /^n(.*):(\d+)$/.exec(line) ?? [];
    if (port === '' || pid === 0) continue;
    // `*` stands for all addresses of IPv4, of IPv6 or of both.
    const address = name === '*' ? '0.0.0.0' : name.replace(/^\[(.*)\]$/, '$1');
    found.push({ pid, address, port: Number(port) });
  }
  return found;
}

/** Reads `ps -o pid=,ppid=,lstart=,args=`. The start has five words. */
export function readPs(text: string): {
  readonly entries: readonly ProcessEntry[];
  readonly argsOf: ReadonlyMap<number, readonly string[]>;
} {
  const entries: ProcessEntry[] = [];
  const argsOf = new Map<number, readonly string[]>();
  for (const line of text.split('\n')) {
    const [pid, parent, ...words] = line.trim().split(/\s+/);
    if (pid === undefined || parent === undefined || words.length < 6) continue;
    // `ps` of macOS prints no id of the session of processes.
    entries.push({
      pid: Number(pid),
      parent: Number(parent),
      session: 0,
      start: words.slice(0, 5).join(' '),
    });
    argsOf.set(Number(pid), words.slice(5));
  }
  return { entries, argsOf };
}

/** The output of a command. `lsof` exits with 1 when it finds nothing. */
function run(file: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, env: { LC_ALL: 'C' } };
    execFile(file, args, options, (error, stdout) => {
      if (error !== null && error.code !== 1) reject(error);
      else resolve(stdout);
    });
  });
}
