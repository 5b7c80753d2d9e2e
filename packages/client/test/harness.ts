import { type ControlledPair, controlledPair } from '@agenthost/rpc/memory';
import type { AhpClient } from '../src/client.ts';
import { createClient } from '../src/connection/connect.ts';
import type { ClientOptions } from '../src/options.ts';
import { FakeHost } from './fake-host.ts';
import { ManualClock } from './manual-clock.ts';

/** Runs the pending promise callbacks. */
export async function microtasks(): Promise<void> {
  for (let round = 0; round < 30; round++) await Promise.resolve();
}

/**
 * The error that a promise rejects with; fails when the promise resolves. The rejection counts as handled at
 * once.
 */
export function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`it resolved with ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}

/** A client, a fake host, and a connection between them that the test controls. */
export class Harness {
  readonly host: FakeHost;
  readonly clock: ManualClock;
  readonly client: AhpClient;
  readonly errors: unknown[] = [];
  /** The connection of the latest attempt. */
  pair: ControlledPair = controlledPair();
  connectCount = 0;
  /** Makes connection attempts fail with this error. */
  connectError: Error | undefined;

  constructor(options: Partial<ClientOptions> & { host?: FakeHost; sharedClock?: ManualClock } = {}) {
    const { host = new FakeHost(), sharedClock = new ManualClock(), ...rest } = options;
    this.host = host;
    this.clock = sharedClock;
    this.host.now = () => this.clock.now();
    let id = 0;
    this.client = createClient({
      clientId: 'c1',
      clock: this.clock,
      random: () => 1,
      newId: () => `id${++id}`,
      onError: (error) => this.errors.push(error),
      transport: () => {
        this.connectCount += 1;
        if (this.connectError !== undefined) return Promise.reject(this.connectError);
        this.pair = controlledPair();
        this.host.accept(this.pair.b);
        return Promise.resolve(this.pair.a);
      },
      ...rest,
    });
  }

  /** Delivers all frames in both directions, and the frames that follow from them. */
  async settle(): Promise<void> {
    await microtasks();
    while (this.pair.deliverAll() > 0) await microtasks();
  }

  /** Waits for a promise while frames are delivered. */
  async run<T>(promise: Promise<T>): Promise<T> {
    promise.catch(() => undefined);
    await this.settle();
    return promise;
  }

  async online(): Promise<this> {
    await this.run(this.client.connect());
    return this;
  }

  /** Breaks the connection. The client then waits for its next attempt. */
  async cut(code = 1006): Promise<void> {
    this.pair.cut({ code, reason: 'cut' });
    await microtasks();
  }

  /** Lets the delay before the next attempt pass and performs the handshake. */
  async comeBack(): Promise<void> {
    const { status } = this.client;
    if (status.state !== 'waiting') throw new Error(`nothing to come back from: ${status.state}`);
    this.clock.advance(status.retryAt - this.clock.now());
    await this.settle();
  }
}
