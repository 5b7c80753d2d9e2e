import { existsSync } from 'node:fs';
import type { Log } from '../../lib/log.ts';
import { type Pty, PtyError, type PtyOwner, type PtySpec } from '../pty.ts';
import type { RunningPtyOptions } from '../running-pty.ts';
import {
  ensureKeeperFolder,
  keeperFolder,
  keeperNames,
  newKeeperName,
  removeKeeperFiles,
  withSocketAddress,
} from './folder.ts';
import { KeeperConnection, type ReachedKeeper } from './keeper-connection.ts';
import { KeptPty } from './kept-pty.ts';
import { keeperProtocol, type ListedPty } from './protocol.ts';
import { startKeeper } from './start.ts';

/** How long a keeper may take for an answer, in ms. */
const answerLimitMs = 15_000;
/** And one that is to be adopted. */
const adoptLimitMs = 30_000;

/** What became of looking for a keeper that an earlier host left. */
type FoundKeeper =
  | Exclude<ReachedKeeper, { outcome: 'connected' }>
  | { readonly outcome: 'found'; readonly connection: KeeperConnection; readonly ptys: readonly ListedPty[] };

/** Where keepers are and which one is ours. */
export interface KeeperPtyOwnerOptions {
  /** The host's data folder: one host at a time has it locked, so that nobody else drives its keepers. */
  readonly dataDir: string;
  /** Version of the host. New ptys start in a keeper of this version. */
  readonly build: string;
  readonly log: Log;
  /** How long a keeper may take for an answer, in ms. Default 15 s. */
  readonly timeoutMs?: number;
  /**
   * How long a keeper that an earlier host left may take for its hello and for its list, in ms: on a machine that stalls, to give
   * up is to lose every terminal in it. It is then tried once more, with the limit for each answer. Default 30 s.
   */
  readonly adoptTimeoutMs?: number;
  /** Limits of each pty in keepers that are started from here. */
  readonly limits?: RunningPtyOptions;
}

/**
 * Ptys in a keeper process that outlives this one. Keepers of other versions that speak our protocol keep their ptys and are
 * driven until these end; those that speak another are left alone.
 */
export class KeeperPtyOwner implements PtyOwner {
  readonly outlivesHost = true;
  readonly #options: KeeperPtyOwnerOptions;
  readonly #folder: string;
  readonly #connections = new Set<KeeperConnection>();
  /** Where new ptys start. */
  #current: Promise<KeeperConnection> | undefined;
  #isClosed = false;

  constructor(options: KeeperPtyOwnerOptions) {
    this.#options = options;
    this.#folder = keeperFolder(options.dataDir);
  }

  /** Never rejects for a keeper that cannot be reached: that one is logged and left. Rejects with `PtyError` for a folder not ours. */
  async adopt(): Promise<readonly Pty[]> {
    if (!existsSync(this.#folder)) return [];
    ensureKeeperFolder(this.#folder);
    const adopted = await Promise.all(keeperNames(this.#folder).map((name) => this.#adoptFrom(name)));
    return adopted.flat();
  }

  async spawn(spec: PtySpec): Promise<Pty> {
    const connection = await this.#keeper();
    const answer = await connection.request({ type: 'spawn', spec });
    if (answer.type !== 'spawned') throw new PtyError(`the keeper of terminals answered ${answer.type}`);
    return this.#pty(connection, { pty: answer.pty, id: spec.id, pid: answer.pid });
  }

  /** Lets go of all keepers; their ptys go on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // A keeper that is just being started is let go of by whoever waits for it.
    await this.#current?.catch(() => undefined);
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  async #adoptFrom(name: string): Promise<readonly Pty[]> {
    const { log, adoptTimeoutMs = adoptLimitMs } = this.#options;
    let found = await this.#find(name, adoptTimeoutMs);
    if (found.outcome === 'unusable') {
      log.info({ keeper: name, reason: found.reason }, 'a keeper did not answer; asking it once more');
      // It hung up, or we were the ones that stalled: our limit was over before we read what it had said.
      found = await this.#find(name, this.#timeoutMs);
    }
    switch (found.outcome) {
      case 'found':
        return this.#adoptAll(name, found);
      case 'gone':
        removeKeeperFiles(this.#folder, name);
        log.info({ keeper: name }, 'removed the socket of a keeper that is gone');
        return [];
      case 'foreign': {
        const { protocol, build, pid } = found.hello;
        log.warn(
          { keeper: name, pid, build, protocol, expected: keeperProtocol },
          'left a keeper alone that speaks another protocol: its terminals show as exited, and it ends with them',
        );
        return [];
      }
      case 'unusable':
        log.warn({ keeper: name, reason: found.reason }, 'left a keeper alone that does not answer');
        return [];
      default:
        return found satisfies never;
    }
  }

  async #find(name: string, timeoutMs: number): Promise<FoundKeeper> {
    const reached = await this.#reach(name, timeoutMs);
    if (reached.outcome !== 'connected') return reached;
    const { connection } = reached;
    try {
      const answer = await connection.request({ type: 'list' }, timeoutMs);
      if (answer.type !== 'listed') throw new PtyError(`it answered ${answer.type}`);
      return { outcome: 'found', connection, ptys: answer.ptys };
    } catch (error) {
      await connection.close();
      return { outcome: 'unusable', reason: String(error) };
    }
  }

  #adoptAll(name: string, { connection, ptys }: Extract<FoundKeeper, { outcome: 'found' }>): readonly Pty[] {
    const adopted = ptys.map((listed) => this.#pty(connection, listed));
    this.#options.log.info(
      { keeper: name, keeperPid: connection.pid, build: connection.build, ptyCount: ptys.length },
      'found a keeper of terminals',
    );
    if (connection.build === this.#options.build) this.#current ??= Promise.resolve(connection);
    this.#dropIfUnused(connection);
    return adopted;
  }

  #pty(connection: KeeperConnection, listed: { pty: number; id: string; pid: number }): Pty {
    return new KeptPty(connection, listed, () => this.#dropIfUnused(connection));
  }

  /** A keeper of another version ends when it holds nothing and we let go of it. */
  #dropIfUnused(connection: KeeperConnection): void {
    if (connection.build === this.#options.build || connection.ptyCount > 0) return;
    connection.close().catch((error: unknown) => {
      this.#options.log.warn({ reason: String(error) }, 'a keeper could not be let go of');
    });
  }

  /** The keeper for new ptys; started when there is none. */
  async #keeper(): Promise<KeeperConnection> {
    if (this.#isClosed) throw new PtyError('the host is stopping: no terminal is started');
    const current = this.#current;
    if (current !== undefined) {
      const connection = await current.catch(() => undefined);
      if (connection?.isOpen === true) return connection;
      // Whoever waited with us may have begun another.
      if (this.#current !== current) return this.#keeper();
    }
    this.#current = this.#start();
    return this.#current;
  }

  async #start(): Promise<KeeperConnection> {
    const name = newKeeperName();
    const { build, limits = {} } = this.#options;
    await startKeeper(this.#folder, name, { build, limits });
    const reached = await this.#reach(name, this.#timeoutMs);
    if (reached.outcome !== 'connected') {
      const reason = reached.outcome === 'unusable' ? reached.reason : reached.outcome;
      throw new PtyError(`the keeper of terminals was started and cannot be reached: ${reason}`);
    }
    this.#options.log.info(
      { keeper: name, keeperPid: reached.connection.pid },
      'started a keeper of terminals',
    );
    return reached.connection;
  }

  /** Connects; what is connected is let go of by `close`. */
  async #reach(name: string, helloTimeoutMs: number): Promise<ReachedKeeper> {
    const { build } = this.#options;
    const reached = await withSocketAddress(this.#folder, name, (address) =>
      KeeperConnection.reach(address, { build, timeoutMs: this.#timeoutMs, helloTimeoutMs }),
    );
    if (reached.outcome !== 'connected') return reached;
    const { connection } = reached;
    this.#connections.add(connection);
    void connection.closed.then(() => this.#connections.delete(connection));
    return reached;
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? answerLimitMs;
  }
}
