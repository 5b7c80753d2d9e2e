import type { AdoptedPtys, Pty } from '../../pty/pty.ts';
import type { TerminalHostData } from '../../sync/host-data.ts';
import { OutputWriter } from '../output/output-writer.ts';
import type { TerminalParts } from '../parts.ts';
import { endUnloaded, LOST_EXIT_CODE } from './lost-terminals.ts';

/** A terminal that ran when the previous host ended, without its content. */
export interface StoredTerminal {
  readonly uri: string;
  readonly hostData: TerminalHostData;
}

/** Callbacks for the ptys that owners report. */
export interface FoundPtys {
  /** The pty belongs to this terminal. */
  attach(terminal: StoredTerminal, pty: Pty): void;
  /** The pty belongs to no terminal. */
  discard(pty: Pty): void;
}

/** Matches the terminals of the previous host with the ptys that outlived it [CONN-8]. */
export class TerminalRecovery {
  readonly #parts: TerminalParts;
  readonly #found: FoundPtys;
  /** Terminals whose ptys were not found yet, by URI, while an owner has not answered. */
  readonly #awaited = new Map<string, TerminalHostData>();
  /** Ptys that may belong to terminals that could not be read, by id. */
  readonly #left = new Map<string, Pty>();
  /** Ids of ptys that no owner had reported when their terminals were removed. */
  readonly #unwanted = new Set<string>();
  #areAll = true;
  #lateCount = 0;
  #isOver = false;

  constructor(parts: TerminalParts, found: FoundPtys) {
    this.#parts = parts;
    this.#found = found;
  }

  /**
   * Attaches to the ptys that owners report, and ends the terminals whose ptys are gone. Both happen later for an owner that does not
   * answer at once. Without `areAll`, some terminals could not be read; a pty without a terminal then keeps running for the next start.
   */
  async run(terminals: readonly StoredTerminal[], areAll: boolean): Promise<void> {
    const { ptys, late } = await this.#adopt();
    this.#areAll = areAll;
    this.#lateCount = late.length;
    for (const { uri, hostData } of terminals) this.#awaited.set(uri, hostData);
    this.#sort(ptys);
    for (const each of late) void each.then((found) => this.#cameLate(found));
    if (late.length > 0) return;
    const { sync, log } = this.#parts;
    const lost = [...this.#awaited].map(([uri, hostData]) => ({ uri, hostData }));
    this.#awaited.clear();
    if (lost.length > 0) sync.transact('host', (tx) => endUnloaded(tx, this.#parts, lost));
    for (const { uri } of lost) log.info({ uri }, 'a terminal ended with the previous host');
  }

  /** Whether an owner that may own its pty has not answered yet. */
  isAwaited(uri: string): boolean {
    return this.#awaited.has(uri);
  }

  /** Ids of ptys that belong or may belong to terminals, and are not attached. */
  get unreadPtys(): readonly string[] {
    return [...this.#left.keys(), ...[...this.#awaited.values()].map(({ pty }) => pty)];
  }

  /** A terminal was disposed of. `hostData`: its own, if known. Returns its pty if that is still running. */
  removed(uri: string, hostData: TerminalHostData | undefined): Pty | undefined {
    const awaited = this.#awaited.get(uri);
    if (awaited !== undefined) this.#unwanted.add(awaited.pty);
    this.#awaited.delete(uri);
    const left = hostData && this.#left.get(hostData.pty);
    if (left !== undefined) this.#left.delete(left.id);
    return left;
  }

  /** Stops waiting for owners. */
  end(): void {
    this.#isOver = true;
  }

  #sort(ptys: readonly Pty[]): void {
    const uris = new Map([...this.#awaited].map(([uri, { pty }]) => [pty, uri]));
    const left: Pty[] = [];
    for (const pty of ptys) {
      const uri = uris.get(pty.id);
      const hostData = uri === undefined ? undefined : this.#awaited.get(uri);
      if (uri !== undefined && hostData !== undefined) {
        this.#awaited.delete(uri);
        this.#found.attach({ uri, hostData }, pty);
        const { cols, rows } = this.#parts.sync.registry.getOf('terminal', uri)?.state ?? {};
        // A client may have resized the terminal in the meantime.
        if (cols !== undefined && rows !== undefined) pty.resize(cols, rows);
      } else if (this.#areAll || this.#unwanted.has(pty.id)) this.#found.discard(pty);
      else left.push(pty);
    }
    this.#leave(left);
  }

  #leave(ptys: readonly Pty[]): void {
    if (ptys.length === 0) return;
    for (const pty of ptys) this.#left.set(pty.id, pty);
    this.#parts.log.warn(
      { ptys: ptys.map(({ id, pid }) => ({ id, pid })) },
      'left programs running that no terminal shows: they may be those of one that cannot be read',
    );
  }

  #cameLate(ptys: readonly Pty[]): void {
    if (this.#isOver) return;
    this.#sort(ptys);
    this.#lateCount -= 1;
    if (this.#lateCount > 0) return;
    this.#endAwaited().catch((error: unknown) =>
      this.#parts.log.error({ error }, 'could not end the terminals of a keeper that is gone'),
    );
  }

  /** Loads and ends them one after another: clients may be subscribed by now. */
  async #endAwaited(): Promise<void> {
    const { sync, log } = this.#parts;
    for (const uri of [...this.#awaited.keys()]) {
      const terminal = await sync.registry.load(uri);
      if (!this.#awaited.delete(uri) || terminal?.is('terminal') !== true) continue;
      const unpin = terminal.pin();
      sync.transact('host', (tx) => {
        if (terminal.isAlive) new OutputWriter(this.#parts, terminal).end(tx, LOST_EXIT_CODE);
        tx.effect(unpin);
      });
      log.info({ uri }, 'a terminal ended with its keeper');
    }
  }

  async #adopt(): Promise<AdoptedPtys> {
    try {
      return await this.#parts.owner.adopt();
    } catch (error) {
      this.#parts.log.error({ error }, 'could not reach the terminals of the previous host');
      return { ptys: [], late: [] };
    }
  }
}
