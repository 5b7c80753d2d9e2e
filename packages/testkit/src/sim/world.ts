import { createHost, type Host, JournalError } from '@agenthost/host';
import { ControlledNetwork } from '../controlled-network.ts';
import { FaultJournal } from '../fault-journal.ts';
import { SeededRandom } from '../seeded-random.ts';
import { createSimulatedAgent } from '../simulated-agent.ts';
import { type ClockScope, SimulatedClock } from '../simulated-clock.ts';
import { SimulatedPtyOwner } from '../simulated-pty.ts';
import { Ledger } from './ledger.ts';
import { Report } from './report.ts';
import { SimClient } from './sim-client.ts';
import { Trace } from './trace.ts';

/** What may differ between runs. */
export interface WorldOptions {
  readonly seed: number;
  readonly clientCount: number;
  /** How long envelopes stay replayable, ms of simulated time. */
  readonly replayMs: number;
  /** How long an unused channel stays in memory, ms of simulated time. */
  readonly unloadAfterMs: number;
  /** Bounds of what waits for one connection, in bytes. */
  readonly outbox: { readonly softBytes: number; readonly hardBytes: number };
  /** How often, 0 to 1, a read or write of the disk takes its time; up to 30 ms. */
  readonly slowDisk: number;
  /** Index of the client that never resends, as foreign ones do. */
  readonly foreigner: number | undefined;
}

/** The longest that a subscription asks the host to hold output back. */
export const MAX_LATENCY_MS = 100;

/** Names the errors that a schedule makes. */
const SCHEDULED = 'the schedule made this read fail';

/** One life of the host: from start to stop or kill. */
interface Life {
  readonly host: Host;
  readonly journal: FaultJournal;
  readonly scope: ClockScope;
}

/** A host on a disk that outlives it, clients, and a network between them, all on one simulated clock. */
export class World {
  readonly options: WorldOptions;
  readonly clock = new SimulatedClock();
  readonly network = new ControlledNetwork();
  readonly random: SeededRandom;
  readonly report = new Report();
  readonly ledger = new Ledger(this.report);
  readonly trace = new Trace(this.clock.now);
  readonly clients: SimClient[];
  /** Copies of the session that somebody made. */
  readonly forks = new Set<string>();
  /** Channels that stay. */
  readonly permanent = new Set(['ahp-root://']);
  /** What went wrong that no assertion would see. */
  readonly faults: string[] = [];
  readonly #ids: SeededRandom;
  readonly #diskChance: SeededRandom;
  #life: Life | undefined;
  #failingReads = 0;
  #ptys = new SimulatedPtyOwner({ outlivesHost: true });
  #lastDisk = new FaultJournal().disk;

  constructor(options: WorldOptions) {
    this.options = options;
    this.random = SeededRandom.of(options.seed, 'schedule');
    this.#ids = SeededRandom.of(options.seed, 'host/ids');
    this.#diskChance = SeededRandom.of(options.seed, 'disk');
    this.clients = Array.from({ length: options.clientCount }, (_, index) =>
      this.makeClient(`client-${index}`, index !== options.foreigner),
    );
  }

  makeClient(name: string, resends = true): SimClient {
    const { clock, network, report, ledger, trace } = this;
    return new SimClient({ name, seed: this.options.seed, clock, network, report, ledger, trace, resends });
  }

  get isUp(): boolean {
    return this.#life !== undefined;
  }

  /** The running host's journal. */
  get journal(): FaultJournal | undefined {
    return this.#life?.journal;
  }

  /** Everything durable. */
  get disk(): FaultJournal['disk'] {
    return this.#lastDisk;
  }

  /** The programs that run in terminals; they outlive the host. */
  get ptys(): SimulatedPtyOwner {
    return this.#ptys;
  }

  /** The next so many reads fail; 0: none. */
  failReads(count: number): void {
    this.report.count('failedReads', count);
    this.#failingReads = count;
  }

  async start(): Promise<void> {
    this.#failingReads = 0;
    const scope = this.clock.scope();
    const { seed, replayMs, unloadAfterMs, outbox } = this.options;
    const pause = (): Promise<void> | void => this.#diskPause(scope);
    const journal = new FaultJournal(this.#lastDisk, {
      beforeCommit: pause,
      afterCommit: pause,
      afterRead: () => {
        if (this.#failingReads === 0) return pause();
        this.#failingReads -= 1;
        throw new JournalError('io', SCHEDULED);
      },
    });
    this.#ptys = this.#ptys.restart();
    const host = createHost({
      journal,
      agents: [() => createSimulatedAgent({ seed, timers: scope })],
      roots: [process.cwd()],
      defaultDirectory: process.cwd(),
      replayWindow: { maxAgeMs: replayMs },
      unloadAfterMs,
      outbox,
      clock: scope,
      timers: scope,
      ids: { next: () => this.#ids.hex(16) },
      terminals: { owner: this.#ptys, shellIntegration: false },
      log: this.#log(),
    });
    this.trace.note('host', 'starts');
    const starting = host.start();
    await this.clock.runUntilSettled(starting);
    this.#life = { host, journal, scope };
    this.network.accept = (transport) => host.accept(transport, { tokenHash: 'owner', isAdmin: true });
  }

  /** SIGKILL: what was durable stays, nothing else. */
  crash(): void {
    const life = this.#life;
    if (life === undefined) return;
    this.trace.note('host', 'is killed');
    this.#life = undefined;
    this.network.accept = undefined;
    life.journal.crash();
    life.scope.end();
    for (const link of this.network.links) link.cut();
    this.report.count('hostCrashes');
  }

  /** The host ends as asked to. */
  async stop(): Promise<void> {
    const life = this.#life;
    if (life === undefined) return;
    this.#life = undefined;
    this.trace.note('host', 'stops');
    this.network.accept = undefined;
    await this.clock.runUntilSettled(life.host.stop());
    life.scope.end();
    for (const link of this.network.links) {
      link.deliverAll();
      link.cut();
    }
    this.report.count('hostStops');
  }

  /**
   * Lets everything go on, delivering all frames, until no client waits for anything and no frame has come for longer
   * than any subscription lets the host hold one back.
   */
  async quiesce(limitMs = 600_000): Promise<void> {
    const end = this.clock.now() + limitMs;
    for (let quietSince = this.clock.now(); ; ) {
      await this.clock.settle();
      let delivered = 0;
      for (const link of this.network.links) delivered += link.deliverAll();
      if (delivered > 0) {
        quietSince = this.clock.now();
        continue;
      }
      const isQuiet = this.clients.every((client) => client.isOnline && client.pendingCount === 0);
      if (isQuiet && this.clock.now() - quietSince > MAX_LATENCY_MS) return;
      if (this.clock.now() > end) throw new Error(`no quiescence: ${this.#whatWaits()}`);
      const { nextAt } = this.clock;
      if (isQuiet && (nextAt ?? end) > quietSince + MAX_LATENCY_MS)
        await this.clock.advance(MAX_LATENCY_MS + 1);
      else if (!this.clock.fireNext()) throw new Error(`nothing will happen any more: ${this.#whatWaits()}`);
    }
  }

  #diskPause(scope: ClockScope): Promise<void> | void {
    if (!this.#diskChance.chance(this.options.slowDisk)) return undefined;
    return new Promise((resolve) => {
      scope.after(this.#diskChance.between(0, 30), resolve);
    });
  }

  #whatWaits(): string {
    return this.clients
      .map(({ name, client, pendingCount }) => `${name} ${client.status.state}, ${pendingCount} pending`)
      .join('; ');
  }

  #log() {
    const isExpected = (fields: object, message: string): boolean =>
      message.includes('journal cannot be written') || describe(fields).includes(SCHEDULED);
    return {
      debug: () => undefined,
      info: (_: object, message: string) => this.trace.note('host', message),
      warn: (fields: object, message: string) => this.trace.note('host', `${message} ${describe(fields)}`),
      error: (fields: object, message: string) => {
        this.trace.note('host', message);
        if (!isExpected(fields, message)) this.faults.push(`host: ${message}: ${describe(fields)}`);
      },
    };
  }
}

function describe(fields: object): string {
  return Object.entries(fields)
    .map(
      ([key, value]) => `${key} ${value instanceof Error ? (value.stack ?? value.message) : String(value)}`,
    )
    .join(', ');
}
