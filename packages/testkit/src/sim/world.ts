import type { Log } from '@agenthost/host';
import { CLOSE_CODES } from '@agenthost/protocol';
import { ControlledNetwork } from '../controlled-network.ts';
import { FaultJournal } from '../fault-journal.ts';
import { SeededRandom } from '../seeded-random.ts';
import { SimulatedClock } from '../simulated-clock.ts';
import { type SimulatedPty, SimulatedPtyOwner } from '../simulated-pty.ts';
import { Archive } from './archive.ts';
import { type Guest, identityOf, OBSERVER } from './credentials.ts';
import type { UnheardImport } from './exported.ts';
import { ForeignClient } from './foreign-client.ts';
import { Ledger } from './ledger.ts';
import { type DiskMood, Life } from './life.ts';
import type { ShellFiles } from './ordered-files.ts';
import { Report } from './report.ts';
import { SimClient, type SimClientParts } from './sim-client.ts';
import type { Trace } from './trace.ts';
import { FaultLog, SCHEDULED, Violation } from './violation.ts';
import type { WorldOptions } from './world-options.ts';

/** Longest `maxLatencyMs` of a subscription. */
export const MAX_LATENCY_MS = 100;

/** Time until a client notices a dead connection: a ping without an answer. */
const SILENCE_MS = 40_000;

/** A host, a disk that outlives it, clients and a network, all on one simulated clock. */
export class World {
  readonly options: WorldOptions;
  readonly clock = new SimulatedClock();
  readonly network = new ControlledNetwork();
  readonly report = new Report();
  readonly faults = new FaultLog();
  readonly archive = new Archive(this.faults);
  readonly trace: Trace;
  readonly ledger: Ledger;
  readonly clients: SimClient[];
  readonly foreigners: ForeignClient[];
  /** Clients that use the id of another client. */
  readonly rivals: SimClient[] = [];
  /** Clients with tokens of their own. */
  readonly guests: Guest[] = [];
  /** How often all guests were disconnected. */
  farewells = 0;
  /** Temporary sessions. */
  readonly passing = new Set<string>();
  /** Imports with an unknown outcome. */
  readonly imports = new Set<UnheardImport>();
  /** Temporary terminals. */
  readonly terminals = new Set<string>();
  /** The unprinted rest of a report, by shell. */
  readonly unsaid = new Map<SimulatedPty, string>();
  /** Files that the host wrote for its shells. */
  readonly files: ShellFiles;
  /** Channels that are never disposed. */
  readonly permanent = new Set(['ahp-root://']);
  readonly mood: DiskMood = { isFull: false, failingReads: 0, killIn: 0 };
  /** All durable data. */
  readonly disk = new FaultJournal().disk;
  /** Whether a link may lose frames without either end noticing. */
  hasDeadWays = false;
  readonly #ids: SeededRandom;
  readonly #diskChance: SeededRandom;
  readonly #silenceChance: SeededRandom;
  #endSilence: () => void = () => undefined;
  readonly #workChance: SeededRandom;
  #life: Life | undefined;
  #isStarting = false;
  #ptys = new SimulatedPtyOwner({ outlivesHost: true });
  #names = 0;

  constructor(options: WorldOptions, trace: Trace, files: ShellFiles) {
    this.files = files;
    this.options = options;
    this.trace = trace;
    trace.begin(this.clock.now);
    const { archive, faults, report, clock, network } = this;
    const reservedSeq = (): number => this.disk.reservedSeq;
    this.ledger = new Ledger({ archive, faults, report, trace, reservedSeq });
    this.#ids = SeededRandom.of(options.seed, 'host/ids');
    this.#diskChance = SeededRandom.of(options.seed, 'disk');
    this.#silenceChance = SeededRandom.of(options.seed, 'keeper');
    this.#workChance = SeededRandom.of(options.seed, 'work');
    this.clients = Array.from({ length: options.clientCount }, (_, index) =>
      this.makeClient(`client-${index}`, { resends: index !== options.forgetful }),
    );
    if (options.hasObserver) this.clients.push(this.makeClient('observer', OBSERVER));
    this.foreigners = options.foreignVersions.map((version, index) => {
      const name = `foreigner-${index}`;
      const random = SeededRandom.of(options.seed, name);
      const parts = { clock, network, ledger: this.ledger, archive: this.archive, faults, report };
      const versionAtHost = (): string | undefined => this.life?.versionOf(name);
      return new ForeignClient({ name, version, versionAtHost, random, ...parts });
    });
  }

  makeClient(
    name: string,
    more: Partial<
      Pick<SimClientParts, 'clientId' | 'resends' | 'credential' | 'mayOnlyLook' | 'isGuest'>
    > = {},
  ): SimClient {
    const { clock, network, report, ledger, trace, faults } = this;
    const { seed } = this.options;
    const parts = { name, seed, clock, network, report, ledger, faults, trace };
    return new SimClient({ ...parts, resends: true, ...more });
  }

  /** A new unique name. */
  newName(kind: string): string {
    this.#names += 1;
    return `${kind}-${this.#names}`;
  }

  /** Whether the host accepts connections. */
  get isUp(): boolean {
    return this.#life !== undefined && !this.#isStarting;
  }

  /** The running or starting host. */
  get life(): Life | undefined {
    return this.#life;
  }

  /** The owner of the terminals' programs, which outlive the host. */
  get ptys(): SimulatedPtyOwner {
    return this.#ptys;
  }

  /**
   * Starts a host, which accepts connections once it has started. Does nothing when a host exists. `allWorks`:
   * the pty keeper answers at once.
   */
  begin({ allWorks = false } = {}): void {
    if (this.#life !== undefined) return;
    this.#ptys = this.#ptys.restart();
    this.trace.note('host', 'starts');
    if (!allWorks) this.#silenceKeeper();
    const { options, clock, disk, mood, archive, faults } = this;
    const life = new Life({
      ...{ options, clock, disk, mood, archive, faults },
      ptys: this.#ptys,
      log: this.#log(),
      ids: this.#ids,
      diskChance: this.#diskChance,
      workChance: this.#workChance,
      kill: () => this.crash(),
    });
    this.#life = life;
    this.#isStarting = true;
    life.started.then(
      () => this.#open(life),
      (error: unknown) => {
        this.trace.note('host', `cannot start: ${String(error)}`);
        if (this.#life !== life) return;
        this.#life = undefined;
        life.end();
        if (!String(error).includes(SCHEDULED) && !String(error).includes('a test made this'))
          faults.note('fault', `the host could not start: ${String(error)}`);
      },
    );
  }

  /** In some worlds, sometimes delays the pty keeper's answer, at the latest until all faults end. */
  #silenceKeeper(): void {
    const { silentKeeper } = this.options;
    if (silentKeeper === 0 || !this.#silenceChance.chance(silentKeeper)) return;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.report.count('silentKeepers');
    this.trace.note('keeper', 'does not answer');
    this.#endSilence = () => resolve(true);
    this.clock.after(this.#silenceChance.between(0, 20_000), () => resolve(true));
    this.#ptys.fallSilent(promise);
  }

  #open(life: Life): void {
    if (this.#life !== life) return;
    this.#isStarting = false;
    this.trace.note('host', 'is up');
    this.network.accept = (transport, { credential }) => {
      const identity = identityOf(life.host, credential);
      if (identity !== undefined) return life.host.accept(transport, identity);
      transport.start({ onFrame: () => undefined, onClose: () => undefined });
      transport.close(CLOSE_CODES.unauthorized, 'no token of this host');
    };
  }

  /** Kills the host like SIGKILL: only durable data stays. */
  crash(): void {
    const life = this.#life;
    if (life === undefined) return;
    this.trace.note('host', 'is killed');
    this.#life = undefined;
    this.mood.killIn = 0;
    this.network.accept = undefined;
    life.crash();
    this.#ptys.abandon();
    for (const link of this.network.links) link.cut();
    this.report.count('hostCrashes');
  }

  /** Stops the host gracefully. Kills a host that is still starting. */
  async stop(): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    if (this.#isStarting) return this.crash();
    this.trace.note('host', 'stops');
    this.network.accept = undefined;
    this.mood.killIn = 0;
    await this.clock.runUntilSettled(life.host.stop());
    this.#life = undefined;
    if (life.timerCount > 0)
      this.faults.note('leftover', `${life.timerCount} timers of a host that has stopped`);
    life.end();
    for (const link of this.network.links) {
      link.deliverAll();
      link.cut();
    }
    this.report.count('hostStops');
  }

  /** Ends all faults. */
  heal(): void {
    this.#endSilence();
    this.mood.isFull = false;
    this.mood.failingReads = 0;
    this.mood.killIn = 0;
  }

  /**
   * Ends all faults, starts a host if there is none, and closes rivals, so that all clients can reconnect.
   */
  async settleDown(): Promise<void> {
    this.heal();
    for (const rival of this.rivals.splice(0)) rival.client.close();
    if (this.hasDeadWays) await this.linger(SILENCE_MS);
    this.hasDeadWays = false;
    await this.quiesce();
  }

  /** Lets time pass while the network delivers everything at once. */
  async linger(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    while (this.clock.now() < end) {
      if (this.#life === undefined) this.begin({ allWorks: true });
      await this.clock.settle();
      let delivered = 0;
      for (const link of this.network.links) delivered += link.deliverAll();
      if (delivered > 0) continue;
      if ((this.clock.nextAt ?? end) >= end) await this.clock.advance(end - this.clock.now());
      else this.clock.fireNext();
    }
  }

  /**
   * Delivers all frames until no client has a pending action or request and no frame has arrived for
   * `MAX_LATENCY_MS`. Throws a `Violation` after `limitMs`.
   */
  async quiesce(limitMs = 600_000): Promise<void> {
    const end = this.clock.now() + limitMs;
    for (let quietSince = this.clock.now(); ; ) {
      if (this.#life === undefined) this.begin({ allWorks: true });
      await this.clock.settle();
      for (const foreigner of this.foreigners) foreigner.connect();
      // The handshake of a closed rival may still replace a client.
      for (const { client } of this.clients) if (client.status.state === 'replaced') client.reconnectNow();
      let delivered = 0;
      for (const link of this.network.links) delivered += link.deliverAll();
      if (delivered > 0) {
        quietSince = this.clock.now();
        continue;
      }
      const isQuiet =
        this.isUp &&
        this.life?.host.core.sync.path.isHealthy === true &&
        this.clients.every((client) => client.isOnline && client.pendingCount === 0) &&
        this.foreigners.every((client) => client.isOnline && !client.isWaiting);
      if (isQuiet && this.clock.now() - quietSince > MAX_LATENCY_MS) return;
      if (this.clock.now() > end) throw new Violation('quiescence', this.#whatWaits());
      const { nextAt } = this.clock;
      if (isQuiet && (nextAt ?? end) > quietSince + MAX_LATENCY_MS)
        await this.clock.advance(MAX_LATENCY_MS + 1);
      else if (!this.clock.fireNext())
        throw new Violation('quiescence', `nothing will happen any more: ${this.#whatWaits()}`);
    }
  }

  #whatWaits(): string {
    const clients = this.clients.map(
      ({ name, client, pendingCount }) => `${name} ${client.status.state}, ${pendingCount} pending`,
    );
    const foreign = this.foreigners.map(({ name, isOnline }) => `${name} ${isOnline ? 'online' : 'away'}`);
    return [`the host ${this.isUp ? 'is up' : 'is not up'}`, ...clients, ...foreign].join('; ');
  }

  #log(): Log {
    const isExpected = (fields: object, message: string): boolean =>
      message.includes('journal cannot be written') || describe(fields).includes(SCHEDULED);
    return {
      debug: () => undefined,
      info: (_: object, message: string) => this.trace.note('host', message),
      warn: (fields: object, message: string) => {
        this.trace.note('host', `${message} ${describe(fields, false)}`);
        if (message.startsWith('left programs running')) this.#life?.leavesPrograms();
      },
      error: (fields: object, message: string) => {
        this.trace.note('host', `${message} ${describe(fields, false)}`);
        if (!isExpected(fields, message)) this.faults.note('fault', `host: ${message}: ${describe(fields)}`);
      },
    };
  }
}

/** `hasStacks`: whether to include stacks of errors, which differ between processes. Default true. */
function describe(fields: object, hasStacks = true): string {
  const shown = (value: unknown): string =>
    value instanceof Error && hasStacks ? (value.stack ?? value.message) : String(value);
  return Object.entries(fields)
    .map(([key, value]) => `${key} ${shown(value)}`)
    .join(', ');
}
