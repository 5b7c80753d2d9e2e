import type { ClockScope } from '@agenthost/testkit';
import { ControlledNetwork, FaultJournal, SimulatedClock, SimulatedPtyOwner } from '@agenthost/testkit';
import { onTestFinished } from 'vitest';
import type { TokenIdentity } from '../src/auth/access-tokens.ts';
import { createHost, type Host } from '../src/main/create-host.ts';
import type { HostOptions } from '../src/main/options.ts';
import { PuppetAgent } from './puppet-agent.ts';
import { RawClient } from './raw-client.ts';

export const SESSION = 'ahp-session:/one';
export const ROOT = 'ahp-root://';

const OWNER: TokenIdentity = { tokenHash: 'owner', scope: 'admin' };

/** A host's options, and those of its environment. */
export type FixtureOptions = Partial<HostOptions> & {
  readonly outlivesHost?: boolean;
  /** Whether its agent answers requests of tools to the model. Default false. */
  readonly answersTools?: boolean;
};

/** A host with a journal in memory and a simulated clock. The test plays its agent. */
export class HostFixture {
  readonly clock = new SimulatedClock();
  readonly network = new ControlledNetwork();
  readonly agent = new PuppetAgent();
  /** Errors and warnings that the host logged. */
  readonly logged: string[] = [];
  readonly #options: FixtureOptions;
  #journal = new FaultJournal();
  #ptys: SimulatedPtyOwner;
  #scope: ClockScope | undefined;
  #host: Host | undefined;
  #clientCount = 0;
  #idCount = 0;

  /** `outlivesHost`: whether its ptys survive a kill or stop of the host, as with a keeper. Default false. */
  constructor(options: FixtureOptions = {}) {
    this.#options = options;
    this.#ptys = new SimulatedPtyOwner({ outlivesHost: options.outlivesHost ?? false });
    this.agent.answersTools = options.answersTools ?? false;
  }

  get journal(): FaultJournal {
    return this.#journal;
  }

  /** The ptys of its terminals. The test plays their programs. */
  get ptys(): SimulatedPtyOwner {
    return this.#ptys;
  }

  get host(): Host {
    if (this.#host === undefined) throw new Error('the host is down');
    return this.#host;
  }

  async start(): Promise<this> {
    const scope = this.clock.scope();
    this.#scope = scope;
    this.#journal = new FaultJournal(this.#journal.disk);
    // Ptys that do not outlive a host are not given to the next one.
    this.#ptys = this.#ptys.outlivesHost ? this.#ptys.restart() : new SimulatedPtyOwner();
    const log = (_: object, message: string): void => void this.logged.push(message);
    this.#host = createHost({
      journal: this.#journal,
      agents: [() => this.agent],
      roots: [process.cwd()],
      defaultDirectory: process.cwd(),
      clock: scope,
      timers: scope,
      ids: { next: () => `id-${(this.#idCount += 1)}` },
      log: { debug: () => undefined, info: () => undefined, warn: log, error: log },
      // The processes of its terminals are not real.
      portScanner: false,
      // Reading a file takes real time.
      projectMcpServers: false,
      ...this.#options,
      terminals: { owner: this.#ptys, shellIntegration: false, ...this.#options.terminals },
    });
    await this.clock.runUntilSettled(this.#host.start());
    return this;
  }

  /** Kills the host, and starts it again on its durable data. */
  async restart(): Promise<void> {
    this.kill();
    await this.start();
  }

  kill(): void {
    this.#journal.crash();
    this.#scope?.end();
    for (const link of this.network.links) link.cut();
    this.#host = undefined;
  }

  async stop(): Promise<void> {
    await this.clock.runUntilSettled(this.host.stop());
    await this.run();
    this.#host = undefined;
  }

  get isUp(): boolean {
    return this.#host !== undefined;
  }

  /** A connection without a handshake. */
  connect(clientId?: string, identity = OWNER): RawClient {
    this.#clientCount += 1;
    this.network.accept = (transport) => this.host.accept(transport, identity);
    const link = this.network.connect();
    return new RawClient(link, clientId ?? `client-${this.#clientCount}`, (until) => this.#pump(until));
  }

  /** A connection after `initialize`. */
  async client(
    clientId?: string,
    params: Parameters<RawClient['initialize']>[0] = {},
    identity = OWNER,
  ): Promise<RawClient> {
    const client = this.connect(clientId, identity);
    await client.initialize(params);
    return client;
  }

  /** A ready session with subscriptions to it and to its default chat. */
  async session(client: RawClient, uri = SESSION): Promise<{ session: string; chat: string }> {
    await client.request('createSession', { channel: uri });
    const { state } = await client.subscribe(uri);
    if (!('defaultChat' in state) || state.defaultChat === undefined) throw new Error('no default chat');
    await client.subscribe(state.defaultChat);
    await this.run();
    return { session: uri, chat: state.defaultChat };
  }

  /** Runs everything that needs no time. */
  async run(): Promise<void> {
    await this.#pump(() => false, true);
  }

  /** Advances the clock, and runs everything that is due. */
  async advance(ms: number): Promise<void> {
    await this.run();
    const end = this.clock.now() + ms;
    while ((this.clock.nextAt ?? end + 1) <= end) {
      this.clock.fireNext();
      await this.run();
    }
    await this.clock.advance(end - this.clock.now());
    await this.run();
  }

  async #pump(until: () => boolean, mayBeIdle = false): Promise<void> {
    for (;;) {
      await this.clock.settle();
      if (until()) return;
      let delivered = 0;
      for (const link of this.network.links) delivered += link.deliverAll();
      if (until()) return;
      if (delivered === 0 && !this.clock.hasImmediates) {
        if (mayBeIdle) return;
        throw new Error('nothing more happens, and what was waited for has not');
      }
    }
  }
}

/** A started host. It is stopped after the test. */
export async function startHost(options: FixtureOptions = {}): Promise<HostFixture> {
  const fixture = await new HostFixture(options).start();
  onTestFinished(async () => {
    if (fixture.isUp) await fixture.stop();
  });
  return fixture;
}
