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

/** How long a keeper may take for an answer, in ms. */
const ANSWER_LIMIT_MS = 15_000;
/** A keeper that takes longer to list its ptys counts as not answering, in ms. */
const ALIVE_LIMIT_MS = 1_000;

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
   * How long a keeper may take to say what it holds before the host goes on without it, in ms: one that an earlier host left is waited
   * for behind the start, for as long as it is there, and beside one that was started here another is. Default 1 s.
   */
  readonly aliveTimeoutMs?: number;
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
  /** Keepers of our version that did not answer: another was started beside them. */
  readonly #silent = new WeakSet<KeeperConnection>();
  readonly #closing = new AbortController();

  constructor(options: KeeperPtyOwnerOptions) {
    this.#options = options;
    this.#folder = keeperFolder(options.dataDir);
  }

  /** Never rejects for a keeper that cannot be reached: that one is logged and left. Rejects with `PtyError` for a folder not ours. */
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
        'a keeper does not answer: its terminals show as they were, and come back when it does',
      );
    return { ptys: inTime.flatMap((ptys) => ptys ?? []), late: late.map(({ ptys }) => ptys) };
  }

  async spawn(spec: PtySpec): Promise<Pty> {
    const connection = await this.#aliveKeeper();
    const answer = await connection.request({ type: 'spawn', spec });
    if (answer.type !== 'spawned') throw new PtyError(`the keeper of terminals answered ${answer.type}`);
    return this.#pty(connection, { pty: answer.pty, id: spec.id, pid: answer.pid });
  }

  /** Lets go of all keepers; their ptys go on. */
  async close(): Promise<void> {
    this.#closing.abort();
    // A keeper that is just being started is let go of by whoever waits for it.
    await this.#current?.catch(() => undefined);
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  async #adoptFrom(name: string): Promise<readonly Pty[]> {
    const { log } = this.#options;
    let found = await this.#find(name);
    if (found.outcome === 'unusable' && !this.#isClosed) {
      log.info({ keeper: name, reason: found.reason }, 'a keeper hung up; asking it once more');
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

  /** Waits as long as the connection lasts. */
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

  /** A keeper in which no new pty will start ends when it holds nothing and we let go of it. */
  #dropIfUnused(connection: KeeperConnection): void {
    const isOurs = connection.build === this.#options.build && !this.#silent.has(connection);
    if (isOurs || connection.ptyCount > 0) return;
    connection.close().catch((error: unknown) => {
      this.#options.log.warn({ reason: errorText(error) }, 'a keeper could not be let go of');
    });
  }

  /** One that has just answered: it is only asked what it holds, since what it is asked to start may take its time. */
  async #aliveKeeper(): Promise<KeeperConnection> {
    const connection = await this.#keeper();
    const { aliveTimeoutMs = ALIVE_LIMIT_MS, log } = this.#options;
    try {
      await connection.request({ type: 'list' }, aliveTimeoutMs);
      return connection;
    } catch (error) {
      // It is gone, and `#keeper` starts another; or we are closing.
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

  /** The keeper for new ptys; started when there is none. */
  async #keeper(): Promise<KeeperConnection> {
    if (this.#isClosed) throw new PtyError('the host is stopping: no terminal is started');
    const current = this.#current;
    if (current !== undefined) {
      const connection = await current.catch(() => undefined);
      if (connection?.isOpen === true && !this.#silent.has(connection)) return connection;
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

  /** Connects; what is connected is let go of by `close`. Without `helloTimeoutMs` it waits as long as the connection lasts. */
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

/** What has resolved within so many ms, in the order of the promises; `undefined` for the others. */
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
