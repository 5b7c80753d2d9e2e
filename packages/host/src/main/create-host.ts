import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { CLOSE_CODES } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { ServerTransport } from '@agenthost/rpc/websocket-server';
import type { TokenIdentity } from '../auth/access-tokens.ts';
import { OWNER_TOKEN_FILE } from '../auth/token-store.ts';
import type { Journal, JournalStart } from '../journal/journal.ts';
import { SqliteJournal } from '../journal/sqlite/sqlite-journal.ts';
import { type Cancel, type Clock, randomIds, systemClock, systemTimers, type Timers } from '../lib/clock.ts';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { createLog, type FileLog } from '../lib/file-log.ts';
import { type Log, silentLog } from '../lib/log.ts';
import { checkPrivateFolder } from '../lib/private-folder.ts';
import { createWorkspace } from '../workspace/workspace.ts';
import { type Core, startCore } from './core.ts';
import { type HostEvents, type HostListener, HostListeners } from './events.ts';
import { startListening } from './listen.ts';
import { checkListen } from './listen-rules.ts';
import { type HostAddress, type HostOptions, type ListenOptions } from './options.ts';
import { startMaintenance } from './start-maintenance.ts';

/** How often idle channels and silent clients are looked for. */
const SWEEP_MS = 15_000;

/** Where a host stands. */
type HostState =
  | { readonly phase: 'new' }
  | { readonly phase: 'starting'; readonly settled: Promise<void> }
  | { readonly phase: 'failed' }
  | {
      readonly phase: 'running';
      readonly core: Core;
    }
  | { readonly phase: 'stopping'; readonly done: Promise<void> };

/** An agent host. Make it with `createHost`. */
export class Host {
  readonly #options: HostOptions;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #listeners = new HostListeners();
  #log: Log;
  #ownLog: FileLog | undefined;
  #state: HostState = { phase: 'new' };
  #cancelSweep: Cancel = () => undefined;

  constructor(options: HostOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#timers = options.timers ?? systemTimers;
    this.#log = options.log ?? silentLog;
  }

  /**
   * Listens to what happens to the host itself; returns how to stop listening. Register before `start` to miss nothing. A
   * listener that throws is logged and harms nobody.
   */
  on<E extends keyof HostEvents>(event: E, listener: HostListener<E>): () => void {
    return this.#listeners.on(event, listener);
  }

  #emit<E extends keyof HostEvents>(event: E, detail: HostEvents[E]): void {
    this.#listeners.emit(event, detail, this.#log);
  }

  /**
   * Opens the journal, ends what an earlier host left open, and listens if `listen` was given; resolves with the address
   * then. Rejects with `JournalError` when the data folder cannot be used, and with the system's error when the port
   * cannot. A host starts once.
   */
  async start(): Promise<HostAddress | undefined> {
    if (this.#state.phase !== 'new') throw new Error('A host starts once; make another one');
    const starting = this.#start();
    // Whoever asked for the start hears of its failure.
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
    // Before anything in it is opened: it may have been put there by somebody else.
    const exposures = dataDir === undefined ? [] : checkPrivateFolder(dataDir, OWNER_TOKEN_FILE);
    const journal = this.#options.journal ?? this.#sqlite();
    try {
      const start = await journal.open();
      // Not before: a folder that another host holds, or that cannot be written, is the journal's to refuse.
      if (this.#options.log === undefined) this.#ownLog = fileLog(this.#options.dataDir);
      this.#log = this.#ownLog ?? this.#log;
      for (const message of exposures) {
        this.#log.warn({}, message);
        this.#emit('exposureFound', { message });
      }
      return await this.#run(journal, start);
    } catch (error) {
      this.#state = { phase: 'failed' };
      await journal.close();
      this.#ownLog?.close();
      throw error;
    }
  }

  /** Serves one more connection until it closes; for transports that the host does not accept itself. */
  accept(transport: ServerTransport, identity: TokenIdentity): void {
    if (this.#state.phase === 'running') this.#state.core.hub.accept(transport, identity);
    else transport.close(CLOSE_CODES.shuttingDown, 'the host is not running');
  }

  /** The parts of a running host, for tests and simulations; throws when it does not run. */
  get core(): Core {
    if (this.#state.phase !== 'running') throw new Error('The host is not running');
    return this.#state.core;
  }

  /** Ends open turns visibly, flushes the journal, closes connections, ends agents. Calling it again waits for the same end. */
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
        `damaged: ${where} held no sequence number that a host can have given out; numbers go on above ${start.reservedSeq}`,
      );
    }
    if (start.isLost === true) {
      this.#log.error({}, 'the database is empty or gone; a new one was begun');
      this.#emit('databaseLost', {});
    }
    const workspace = createWorkspace({
      roots: this.#options.roots ?? [homedir()],
      defaultDirectory: this.#options.defaultDirectory ?? process.cwd(),
      privatePaths: privatePathsOf(this.#options),
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
    // What a session held may be large, and whoever removed it may need the room.
    this.#listeners.on('sessionRemoved', () => maintenance.requestCompaction());
    core.terminals.begin();
    this.#sweep(core);
    const address = listening?.address;
    this.#emit('ready', defined({ address }));
    return address;
  }

  /** Listens, or ends what was started when it cannot. */
  async #listenOr(
    core: Core,
    listen: ListenOptions,
  ): Promise<{ stop(): Promise<void>; address: HostAddress }> {
    try {
      return await startListening(core, {
        listen,
        dataDir: this.#options.dataDir,
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
    if (dataDir === undefined) throw new Error('HostOptions: give dataDir or journal');
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

/** Makes a host; it does nothing before `start`. */
export function createHost(options: HostOptions): Host {
  return new Host(options);
}

/** What of the file system is the host's own. */
function privatePathsOf({ dataDir, listen, privatePaths = [] }: HostOptions): readonly string[] {
  const keyFile = typeof listen?.tls === 'object' ? listen.tls.keyFile : undefined;
  return [dataDir, listen?.tokenFile, keyFile, ...privatePaths].flatMap((path) =>
    path === undefined ? [] : [resolve(path)],
  );
}

/** A rotating file in the data folder, which is made for it; without a folder nothing. */
function fileLog(dataDir: string | undefined): FileLog | undefined {
  if (dataDir === undefined) return undefined;
  ensureFolder(dataDir);
  return createLog({ file: join(dataDir, 'agenthost.log') });
}
