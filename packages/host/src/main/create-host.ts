import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { CLOSE_CODES } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { TokenIdentity } from '../auth/access-tokens.ts';
import { OWNER_TOKEN_FILE } from '../auth/token-store.ts';
import type { Journal, JournalStart } from '../journal/journal.ts';
import { refuseCell } from '../journal/postgres/folder-of-cell.ts';
import { removeLeftStaging } from '../journal/sqlite/backup/staging.ts';
import { SqliteJournal } from '../journal/sqlite/sqlite-journal.ts';
import { type Cancel, type Clock, randomIds, systemClock, systemTimers, type Timers } from '../lib/clock.ts';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { createLog, type FileLog } from '../lib/file-log.ts';
import { type Log, silentLog } from '../lib/log.ts';
import { checkPrivateFolder } from '../lib/private-folder.ts';
import { LogTap } from '../telemetry/logs/log-tap.ts';
import { createWorkspace } from '../workspace/workspace.ts';
import { type Core, startCore } from './core.ts';
import { type HostEvents, type HostListener, HostListeners } from './events.ts';
import { startListening } from './listen.ts';
import { checkListen } from './listen-rules.ts';
import {
  type DrainOptions,
  type HostAddress,
  type HostOptions,
  type ListenOptions,
  worktreeDirOf,
} from './options.ts';
import { startMaintenance } from './start-maintenance.ts';

/** Interval of the checks for idle channels and silent clients. */
const SWEEP_MS = 15_000;

/** The state of a host. */
type HostState =
  | { readonly phase: 'new' }
  | { readonly phase: 'starting'; readonly settled: Promise<void> }
  | { readonly phase: 'failed' }
  | {
      readonly phase: 'running';
      readonly core: Core;
    }
  | { readonly phase: 'stopping'; readonly done: Promise<void> };

/** An agent host. Create it with `createHost`. */
export class Host {
  readonly #options: HostOptions;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #listeners = new HostListeners();
  #log: Log;
  readonly #logTap: LogTap;
  #ownLog: FileLog | undefined;
  #state: HostState = { phase: 'new' };
  #cancelSweep: Cancel = () => undefined;

  constructor(options: HostOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#timers = options.timers ?? systemTimers;
    this.#logTap = new LogTap(this.#clock);
    this.#log = this.#logTap.through(options.log ?? silentLog);
  }

  /**
   * Adds a listener for events of the host. Returns a function that removes it. Register before `start` to
   * get all events. An error of a listener is logged.
   */
  on<E extends keyof HostEvents>(event: E, listener: HostListener<E>): () => void {
    return this.#listeners.on(event, listener);
  }

  #emit<E extends keyof HostEvents>(event: E, detail: HostEvents[E]): void {
    this.#listeners.emit(event, detail, this.#log);
  }

  /**
   * Opens the journal, ends work that an earlier host left open, and listens if `listen` was given; then
   * resolves with the address. Rejects with `JournalError` if the data folder cannot be used, and with the
   * system's error if the port cannot. A host can start once.
   */
  async start(): Promise<HostAddress | undefined> {
    if (this.#state.phase !== 'new') throw new Error('A host can start only once; create another one');
    const starting = this.#start();
    // The caller of `start` gets the failure.
    const settled = starting.then(
      () => undefined,
      () => undefined,
    );
    this.#state = { phase: 'starting', settled };
    return starting;
  }

  async #start(): Promise<HostAddress | undefined> {
    const { listen } = this.#options;
    if (listen !== undefined) checkListen(listen);
    const { dataDir } = this.#options;
    // Check before any file is opened, because other users may have created it.
    const exposures = dataDir === undefined ? [] : checkPrivateFolder(dataDir, OWNER_TOKEN_FILE);
    const journal = this.#options.journal ?? this.#sqlite();
    try {
      const ownFolder = this.#options.journal === undefined ? dataDir : undefined;
      // Before the journal creates files there.
      if (ownFolder !== undefined) refuseCell(ownFolder);
      const start = await journal.open();
      // Another host may have taken the folder meanwhile.
      if (ownFolder !== undefined) refuseCell(ownFolder);
      // Open the log only now. The journal refuses a folder that another host uses or that is not writable.
      if (this.#options.log === undefined) this.#ownLog = fileLog(this.#options.dataDir);
      if (this.#ownLog !== undefined) this.#log = this.#logTap.through(this.#ownLog);
      for (const message of exposures) {
        this.#log.warn({}, message);
        this.#emit('exposureFound', { message });
      }
      if (ownFolder !== undefined)
        await removeLeftStaging(ownFolder).catch((error: unknown) =>
          this.#log.warn({ error }, 'what an interrupted backup left cannot be removed'),
        );
      return await this.#run(journal, start);
    } catch (error) {
      this.#state = { phase: 'failed' };
      await journal.close();
      this.#ownLog?.close();
      throw error;
    }
  }

  /** Serves one more connection until it closes. For transports that the host does not accept itself. */
  accept(transport: ServerTransport, identity: TokenIdentity): void {
    if (this.#state.phase === 'running') this.#state.core.hub.accept(transport, identity);
    else transport.close(CLOSE_CODES.shuttingDown, 'the host is not running');
  }

  /** The parts of a running host, for tests and simulations. Throws if the host is not running. */
  get core(): Core {
    if (this.#state.phase !== 'running') throw new Error('The host is not running');
    return this.#state.core;
  }

  /**
   * Starts no new turns, so that a stop interrupts none. Turns that run go on, and clients can steer them, answer their questions and queue
   * messages. Messages in queues and runs of automations start when the drain is over, or with the next host. Resolves with the number of turns
   * that still run: 0 as soon as none is left, otherwise after `timeoutMs` or when `signal` aborts. The drain lasts until `signal` aborts;
   * without a signal it lasts until the stop. Resolves with 0 if the host is not running.
   */
  async drain({ timeoutMs, signal }: DrainOptions): Promise<number> {
    if (this.#state.phase !== 'running' || signal?.aborted === true) return 0;
    const { drain } = this.#state.core;
    const holder = {};
    signal?.addEventListener('abort', () => drain.end(holder), { once: true });
    return drain.begin(holder, timeoutMs);
  }

  /** What the host does now, for the placement of new sessions. Zero and false when it does not run. */
  get load(): { readonly runningTurns: number; readonly isDraining: boolean } {
    if (this.#state.phase !== 'running') return { runningTurns: 0, isDraining: false };
    const { drain } = this.#state.core;
    return { runningTurns: drain.runningCount, isDraining: drain.isOn };
  }

  /**
   * Ends open turns visibly, flushes the journal, closes connections and ends agents. Further calls wait for
   * the same stop.
   */
  async stop(): Promise<void> {
    if (this.#state.phase === 'starting') await this.#state.settled;
    if (this.#state.phase === 'stopping') return this.#state.done;
    if (this.#state.phase !== 'running') return;
    const done = this.#stop(this.#state);
    this.#state = { phase: 'stopping', done };
    await done;
  }

  async #stop({ core }: Extract<HostState, { phase: 'running' }>): Promise<void> {
    this.#cancelSweep();
    await core.stop();
    await core.sync.journal.close();
    this.#emit('stopped', {});
    this.#ownLog?.close();
  }

  async #run(journal: Journal, start: JournalStart): Promise<HostAddress | undefined> {
    if (start.setAside !== undefined) {
      this.#log.error(start.setAside, 'the database was damaged and set aside');
      this.#emit('databaseSetAside', start.setAside);
    }
    if (start.damagedNumbers !== undefined) {
      const where = start.damagedNumbers.join(', ');
      this.#log.error(
        { reservedSeq: start.reservedSeq },
        `damaged: ${where} contained an invalid sequence number; numbers continue above ${start.reservedSeq}`,
      );
    }
    if (start.isLost === true) {
      this.#log.error({}, 'the database was empty or missing; the host created a new one');
      this.#emit('databaseLost', {});
    }
    const workspace = createWorkspace({
      roots: this.#options.roots ?? [homedir()],
      ...defined({ readable: this.#options.readable, writable: this.#options.writable }),
      defaultDirectory: this.#options.defaultDirectory ?? process.cwd(),
      privatePaths: privatePathsOf(this.#options),
      ...defined({ publicPath: worktreeDirOf(this.#options) }),
      log: this.#log,
      clock: this.#clock,
    });
    const core = await startCore({
      options: this.#options,
      journal,
      start,
      workspace,
      clock: this.#clock,
      timers: this.#timers,
      ids: this.#options.ids ?? randomIds,
      log: this.#log,
      logTap: this.#logTap,
      emit: (event, detail) => this.#emit(event, detail),
    });
    const { listen } = this.#options;
    const listening = listen === undefined ? undefined : await this.#listenOr(core, listen);
    if (listening !== undefined) core.whenWireStops(() => listening.stop());
    const maintenance = startMaintenance(core, journal, {
      clock: this.#clock,
      timers: this.#timers,
      log: this.#log,
      lastTime: start.lastTime,
      options: this.#options,
    });
    core.features.add({ name: 'maintenance', stop: () => maintenance.stop() });
    this.#state = { phase: 'running', core };
    // A session may have been large, and its removal may be meant to free space.
    this.#listeners.on('sessionRemoved', () => maintenance.requestCompaction());
    core.terminals.begin();
    core.drain.resume();
    this.#sweep(core);
    const address = listening?.address;
    this.#emit('ready', defined({ address }));
    return address;
  }

  /** Listens. Stops the started host if that fails. */
  async #listenOr(
    core: Core,
    listen: ListenOptions,
  ): Promise<{ stop(): Promise<void>; address: HostAddress }> {
    try {
      return await startListening(core, {
        listen,
        dataDir: this.#options.dataDir,
        version: this.#options.serverInfo?.version,
        clock: this.#clock,
        timers: this.#timers,
        log: this.#log,
        emit: (event, detail) => this.#emit(event, detail),
        isReady: () => this.#state.phase === 'running' && core.sync.path.isHealthy,
      });
    } catch (error) {
      await core.stop();
      throw error;
    }
  }

  #sqlite(): Journal {
    const { dataDir } = this.#options;
    if (dataDir === undefined) throw new Error('HostOptions: dataDir or journal is required');
    return new SqliteJournal({
      folder: dataDir,
      onDamage: (error) => {
        this.#log.error({ error }, 'the database is damaged');
        this.#emit('databaseDamaged', { error });
      },
    });
  }

  #sweep({ features }: Core): void {
    this.#cancelSweep = this.#timers.after(SWEEP_MS, () => {
      features.sweep();
      if (this.#state.phase === 'running') this.#sweep(this.#state.core);
    });
  }
}

/** Creates a host. It does nothing before `start`. */
export function createHost(options: HostOptions): Host {
  return new Host(options);
}

/** Paths that are private to the host. */
function privatePathsOf({ dataDir, listen, privatePaths = [] }: HostOptions): readonly string[] {
  const keyFile = typeof listen?.tls === 'object' ? listen.tls.keyFile : undefined;
  return [dataDir, listen?.tokenFile, keyFile, ...privatePaths].flatMap((path) =>
    path === undefined ? [] : [resolve(path)],
  );
}

/** A rotating log file in the data folder, which is created if needed. No log without a data folder. */
function fileLog(dataDir: string | undefined): FileLog | undefined {
  if (dataDir === undefined) return undefined;
  ensureFolder(dataDir);
  return createLog({ file: join(dataDir, 'agenthost.log') });
}
