import type { FoundPort, PortScanner, ScanInput } from './port-scanner.ts';
import { onePerPort } from './ports-of-sessions.ts';
import { ProcessMarks } from './process-marks.ts';
import { commandLineOf, folderOf, processTable, readEntry, socketsOf } from './process-table.ts';
import { programName } from './program-name.ts';
import { SessionProcesses, sessionsIn } from './session-processes.ts';
import { type ListeningSocket, listeningSockets } from './tcp-table.ts';

/** A listening socket of a session's process. */
interface OwnedSocket {
  readonly port: FoundPort;
  readonly sessions: readonly string[];
  /** Start of the process. */
  readonly start: string;
}

/**
 * Finds ports by the kernel's tables. A scan reads the two tables of sockets, and processes only when a socket is new, so a scan without news
 * takes one or two milliseconds.
 */
export class LinuxPortScanner implements PortScanner {
  readonly intervalMs = 2_000;
  readonly #processes = new SessionProcesses();
  readonly #marks = new ProcessMarks();
  /** By inode. */
  readonly #owned = new Map<string, OwnedSocket>();
  /** Inodes of sockets that belong to no session. */
  readonly #foreign = new Set<string>();
  #rootKey = '';

  async scan(input: ScanInput): Promise<ReadonlyMap<string, readonly FoundPort[]>> {
    const sockets = new Map(listeningSockets().map((socket) => [socket.inode, socket]));
    const rootKey = JSON.stringify(input.roots);
    if (rootKey !== this.#rootKey) {
      // A process may have got another root, or another session.
      this.#foreign.clear();
      this.#owned.clear();
      this.#rootKey = rootKey;
    }
    for (const inode of this.#foreign) if (!sockets.has(inode)) this.#foreign.delete(inode);
    const starts = new Map<number, string | undefined>();
    for (const { port } of this.#owned.values())
      if (!starts.has(port.pid)) starts.set(port.pid, (await readEntry(port.pid))?.start);
    for (const [inode, { port, start }] of this.#owned) {
      // The socket may live on in a child of its process.
      if (!sockets.has(inode) || starts.get(port.pid) !== start) this.#owned.delete(inode);
    }
    const unknown = [...sockets.values()].filter(
      ({ inode }) => !this.#owned.has(inode) && !this.#foreign.has(inode),
    );
    if (unknown.length > 0) await this.#findOwners(unknown, input);
    return onePerPort(this.#owned.values());
  }

  async #findOwners(unknown: readonly ListeningSocket[], { roots, foldersOf }: ScanInput): Promise<void> {
    const wanted = new Map(unknown.map((socket) => [socket.inode, socket]));
    const inodes = new Set(wanted.keys());
    const table = await processTable();
    const marks = await this.#marks.of(table, roots);
    for (const { entry, root } of this.#processes.find(table, roots, marks)) {
      const { pid, start } = entry;
      for (const inode of await socketsOf(pid, inodes)) {
        const socket = wanted.get(inode);
        inodes.delete(inode);
        const sessions = sessionsIn(await folderOf(pid), root, foldersOf);
        const program = programName(await commandLineOf(pid));
        if (socket === undefined || program === undefined || sessions.length === 0) continue;
        const { name, title } = program;
        const { port, address } = socket;
        const found = { port, address, pid, process: name, ...(title === undefined ? {} : { title }) };
        this.#owned.set(inode, { port: found, sessions, start });
      }
    }
    for (const inode of wanted.keys()) if (!this.#owned.has(inode)) this.#foreign.add(inode);
  }
}
