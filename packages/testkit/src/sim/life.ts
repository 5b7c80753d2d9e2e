import { createHost, type Host, JournalError, type Log } from '@agenthost/host';
import { FaultJournal } from '../fault-journal.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { createSimulatedAgent } from '../simulated-agent.ts';
import type { ClockScope, SimulatedClock } from '../simulated-clock.ts';
import type { SimulatedPtyOwner } from '../simulated-pty.ts';
import type { TurnOptions } from '../simulated-turn.ts';
import { AgentWatch, makeUnruly } from '../unruly-agent.ts';
import type { Archive } from './archive.ts';
import { writeTwoTexts } from './two-texts.ts';
import type { FaultLog } from './violation.ts';
import { SCHEDULED } from './violation.ts';
import type { WorldOptions } from './world-options.ts';

/** Current faults of the disk. Successive hosts share them. */
export interface DiskMood {
  /** Whether every write fails. */
  isFull: boolean;
  /** Number of next reads that fail. */
  failingReads: number;
  /**
   * Number of journal operations until the host is killed; 1: at the next one. Operations are the start and the
   * end of a commit, a read and a reservation. 0: never.
   */
  killIn: number;
}

/** Dependencies of one host. */
export interface LifeParts {
  readonly options: WorldOptions;
  readonly clock: SimulatedClock;
  readonly disk: FaultJournal['disk'];
  readonly mood: DiskMood;
  readonly ptys: SimulatedPtyOwner;
  readonly archive: Archive;
  readonly faults: FaultLog;
  readonly log: Log;
  readonly ids: SeededRandom;
  readonly diskChance: SeededRandom;
  readonly workChance: SeededRandom;
  /** Kills the host at the operation chosen by `killIn`. */
  kill(): void;
}

/** One host from its start to its stop or kill. */
export class Life {
  readonly host: Host;
  readonly journal: FaultJournal;
  readonly agents = new AgentWatch();
  /** Settles when the start settles. */
  readonly started: Promise<unknown>;
  readonly #parts: LifeParts;
  readonly #scope: ClockScope;
  #hasLeftPrograms = false;
  /** Kept because a stopping host no longer returns its core while its agents and connections still run. */
  #core: Host['core'] | undefined;
  /** Timers of simulated parts: agents and the disk. */
  readonly #simScope: ClockScope;

  constructor(parts: LifeParts) {
    this.#parts = parts;
    const { options, clock, archive, ptys, log, ids } = parts;
    const scope = clock.scope();
    this.#scope = scope;
    this.#simScope = clock.scope();
    this.journal = new FaultJournal(parts.disk, {
      beforeCommit: () => this.#operate('write'),
      afterCommit: (writes) => {
        archive.committed(writes);
        return this.#operate('written');
      },
      beforeReserve: () => this.#operate('write'),
      afterRead: () => this.#operate('read'),
    });
    const { seed, replayMs, unloadAfterMs, outbox, unruly, maxAwayClients } = options;
    const timers = this.#simScope;
    const streams: TurnOptions['streams'] = (place, random, pause) => {
      this.#core ??= this.host.core;
      return writeTwoTexts(this.#core, place, random, pause);
    };
    this.host = createHost({
      // Reading a file takes real time.
      projectMcpServers: false,
      journal: this.journal,
      agents: [
        () =>
          makeUnruly(createSimulatedAgent({ seed, timers, streams }), this.agents, {
            seed,
            timers,
            chance: unruly,
            reason: SCHEDULED,
            onFault: (error) => parts.faults.note('fault', `thrown at an agent: ${String(error)}`),
          }),
      ],
      roots: [process.cwd()],
      defaultDirectory: process.cwd(),
      replayWindow: { maxAgeMs: replayMs },
      config: { maxAwayClientsPerToken: maxAwayClients },
      unloadAfterMs,
      outbox,
      clock: { now: () => this.#lookAtClock() },
      timers: scope,
      ids: { next: () => ids.hex(16) },
      terminals: { owner: ptys, shell: '/bin/bash' },
      // The processes of its terminals are not real.
      portScanner: false,
      log,
    });
    this.started = this.host.start().then((address) => {
      this.#core = this.host.core;
      return address;
    });
  }

  /** The protocol version of a connected client, also while the host stops. */
  versionOf(clientId: string): string | undefined {
    const connection = this.#core?.hub.connectionOf(clientId);
    return connection?.isOnline === true ? connection.online.version : undefined;
  }

  /**
   * Whether programs still run because the host could not read their terminals at its start. The next host
   * continues with them.
   */
  get hasLeftPrograms(): boolean {
    return this.#hasLeftPrograms;
  }

  leavesPrograms(): void {
    this.#hasLeftPrograms = true;
  }

  /** Reads the clock for the host. Sometimes moves it by 1 ms first, as if the host had worked. */
  #lookAtClock(): number {
    const { clock, workChance, options } = this.#parts;
    if (options.workTime > 0 && workChance.chance(options.workTime)) clock.spend(1);
    return clock.now();
  }

  /** Ends the host like SIGKILL. */
  crash(): void {
    this.journal.crash();
    this.end();
  }

  /** Cancels all timers and immediates of the host, its agents and its disk. */
  end(): void {
    this.#scope.end();
    this.#simScope.end();
  }

  /** Pending timers of the host itself. */
  get timerCount(): number {
    return this.#scope.timerCount;
  }

  #operate(kind: 'read' | 'write' | 'written'): Promise<void> | void {
    const { mood, diskChance, options } = this.#parts;
    if (mood.killIn > 0) {
      mood.killIn -= 1;
      if (mood.killIn === 0) return this.#parts.kill();
    }
    if (kind === 'write' && mood.isFull) throw new JournalError('full', SCHEDULED);
    if (kind === 'read' && mood.failingReads > 0) {
      mood.failingReads -= 1;
      throw new JournalError('io', SCHEDULED);
    }
    if (!diskChance.chance(options.slowDisk)) return undefined;
    return new Promise((resolve) => {
      this.#simScope.after(diskChance.between(0, 30), resolve);
    });
  }
}
