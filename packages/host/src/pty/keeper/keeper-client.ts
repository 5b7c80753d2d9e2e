import { existsSync } from 'node:fs';
import { defined, errorText } from '@agenthost/protocol/values';
import type { Log } from '../../lib/log.ts';
import { type AdoptedPtys, type Pty, PtyError, type PtyOwner, type PtySpec } from '../pty.ts';
import type { RunningPtyOptions } from '../running/running-pty.ts';
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
import { KEEPER_PROTOCOL, type ListedPty } from './protocol.ts';
import { startKeeper } from './start.ts';

/** Default timeout of an answer, in ms. */
const ANSWER_LIMIT_MS = 15_000;
/** Default time to list the ptys before a start continues without the keeper, in ms. */
const ALIVE_LIMIT_MS = 1_000;

/** The result of a search for a keeper of an earlier host. */
type FoundKeeper =
  | Exclude<ReachedKeeper, { outcome: 'connected' }>
  | { readonly outcome: 'found'; readonly connection: KeeperConnection; readonly ptys: readonly ListedPty[] };

/** Options of an owner of ptys in keepers. */
export interface KeeperPtyOwnerOptions {
  /** The data folder of the host. One host at a time locks it, so keepers have one host. */
  readonly dataDir: string;
  /** Version of the host. New ptys start in a keeper of this version. */
  readonly build: string;
  readonly log: Log;
  /** Timeout of an answer, in ms. Default 15 s. */
  readonly timeoutMs?: number;
  /**
   * Time for a keeper to list its ptys, in ms. Default 1 s. After that, the start continues, and the ptys of the keeper follow when it
   * answers. New ptys start in another keeper.
   */
  readonly aliveTimeoutMs?: number;
  /** Limits of each pty in keepers that this owner starts. */
  readonly limits?: RunningPtyOptions;
}

/**
 * Owns ptys in a keeper process that outlives this one. Keepers of other versions with the same protocol number are used until their ptys
 * have ended. Keepers with another protocol number are left alone.
 */
export class KeeperPtyOwner implements PtyOwner {
  readonly outlivesHost = true;
  readonly #options: KeeperPtyOwnerOptions;
  readonly #folder: string;
  readonly #connections = new Set<KeeperConnection>();
  /** The keeper for new ptys. */
  #current: Promise<KeeperConnection> | undefined;
  /** Keepers of this version that did not answer and were replaced for new ptys. */
  readonly #silent = new WeakSet<KeeperConnection>();
  readonly #closing = new AbortController();

  constructor(options: KeeperPtyOwnerOptions) {
    this.#options = options;
    this.#folder = keeperFolder(options.dataDir);
  }

  /** Logs a keeper that cannot be reached, and continues. Rejects with `PtyError` when another user owns the folder. */
  async adopt(): Promise<AdoptedPtys> {
    if (!existsSync(this.#folder)) return { ptys: [], late: [] };
    ensureKeeperFolder(this.#folder);
    const asked = keeperNames(this.#folder).map((name) => ({ name, ptys: this.#adoptFrom(name) }));
    const inTime = await inTimeOf(
      asked.map(({ ptys }) => ptys),
      this.#options.aliveTimeoutMs ?? ALIVE_LIMIT_MS,
    );
    const late = asked.filter((_, index) => inTime[index] === undefined);
    for (const { name } of late)
      this.#options.log.warn(
        { keeper: name },
        'a keeper does not answer: its terminals show their last state, and continue when the keeper answers',
      );
    return { ptys: inTime.flatMap((ptys) => ptys ?? []), late: late.map(({ ptys }) => ptys) };
  }

  async spawn(spec: PtySpec): Promise<Pty> {
    const connection = await this.#aliveKeeper();
    const answer = await connection.request({ type: 'spawn', spec });
    if (answer.type !== 'spawned') throw new PtyError(`the keeper of terminals answered ${answer.type}`);
    return this.#pty(connection, { pty: answer.pty, id: spec.id, pid: answer.pid });
  }

  /** Closes the connections to all keepers. Their ptys keep running. */
  async close(): Promise<void> {
    this.#closing.abort();
    // The caller of a start that is in progress closes that connection.
    await this.#current?.catch(() => undefined);
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  async #adoptFrom(name: string): Promise<readonly Pty[]> {
    const { log } = this.#options;
    let found = await this.#find(name);
    if (found.outcome === 'unusable' && !this.#isClosed) {
      log.info(
        { keeper: name, reason: found.reason },
        'a keeper closed the connection; connecting once more',
      );
      found = await this.#find(name);
    }
    if (this.#isClosed) return [];
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
          { keeper: name, pid, build, protocol, expected: KEEPER_PROTOCOL },
          'left a keeper alone that speaks another protocol: its terminals show as exited, and it ends with them',
        );
        return [];
      }
      case 'unusable':
        log.warn({ keeper: name, reason: found.reason }, 'left alone what answers, and not as a keeper does');
        return [];
      default:
        return found satisfies never;
    }
  }

  /** Waits without a timeout, while the connection is open. */
  async #find(name: string): Promise<FoundKeeper> {
    const reached = await this.#reach(name);
    if (reached.outcome !== 'connected') return reached;
    const { connection } = reached;
    try {
      const answer = await connection.request({ type: 'list' }, Number.POSITIVE_INFINITY);
      if (answer.type !== 'listed') throw new PtyError(`it answered ${answer.type}`);
      return { outcome: 'found', connection, ptys: answer.ptys };
    } catch (error) {
      await connection.close();
      return { outcome: 'unusable', reason: errorText(error) };
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

  /** Closes the connection to a keeper that has no ptys and gets no new ones, so that it ends. */
  #dropIfUnused(connection: KeeperConnection): void {
    const isOurs = connection.build === this.#options.build && !this.#silent.has(connection);
    if (isOurs || connection.ptyCount > 0) return;
    connection.close().catch((error: unknown) => {
      this.#options.log.warn({ reason: errorText(error) }, 'could not close the connection to a keeper');
    });
  }

  /** The keeper for new ptys, if it answers. It is asked only for its list, because a spawn may take long. */
  async #aliveKeeper(): Promise<KeeperConnection> {
    const connection = await this.#keeper();
    const { aliveTimeoutMs = ALIVE_LIMIT_MS, log } = this.#options;
    try {
      await connection.request({ type: 'list' }, aliveTimeoutMs);
      return connection;
    } catch (error) {
      // The keeper is gone, and `#keeper` starts another; or this owner is closing.
      if (!connection.isOpen) return this.#keeper();
      if (!this.#silent.has(connection)) {
        this.#silent.add(connection);
        log.warn(
          { keeperPid: connection.pid, reason: errorText(error) },
          'left a keeper alone that does not answer: new terminals start in another one',
        );
      }
      this.#dropIfUnused(connection);
      return this.#keeper();
    }
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** The keeper for new ptys. Starts one when there is none. */
  async #keeper(): Promise<KeeperConnection> {
    if (this.#isClosed) throw new PtyError('the host is stopping: no terminal is started');
    const current = this.#current;
    if (current !== undefined) {
      const connection = await current.catch(() => undefined);
      if (connection?.isOpen === true && !this.#silent.has(connection)) return connection;
      // Another caller may have begun to start one.
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

  /** Connects to a keeper; `close` closes the connection. Without `helloTimeoutMs` there is no timeout. */
  async #reach(name: string, helloTimeoutMs?: number): Promise<ReachedKeeper> {
    const { build } = this.#options;
    const reached = await withSocketAddress(this.#folder, name, (address) =>
      KeeperConnection.reach(address, {
        build,
        timeoutMs: this.#timeoutMs,
        signal: this.#closing.signal,
        ...defined({ helloTimeoutMs }),
      }),
    );
    if (reached.outcome !== 'connected') return reached;
    const { connection } = reached;
    this.#connections.add(connection);
    void connection.closed.then(() => this.#connections.delete(connection));
    return reached;
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? ANSWER_LIMIT_MS;
  }
}

/** The results of the promises that resolve within the time, in order; `undefined` for the others. */
async function inTimeOf<T>(promises: readonly Promise<T>[], limitMs: number): Promise<(T | undefined)[]> {
  if (promises.length === 0) return [];
  const { promise: isOver, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), limitMs);
  try {
    return await Promise.all(promises.map((promise) => Promise.race([promise, isOver])));
  } finally {
    clearTimeout(timer);
  }
}
