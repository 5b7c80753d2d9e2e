import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock, Timers } from '../../lib/clock.ts';
import { shell, TestKeepers, until } from './contract-keepers.ts';
import { Keeper, type KeeperOptions } from './keeper.ts';
import { KeeperConnection } from './keeper-connection.ts';
import { KeptPty } from './kept-pty.ts';

/** Simulated time, and how many timers wait in it. */
type StageClock = Clock & Timers & { readonly timerCount: number };

/** A keeper in this process, in simulated time, and hosts that connect to it. */
export class KeeperStage<Time extends StageClock> {
  readonly keepers = new TestKeepers();
  readonly address = join(this.keepers.root, 'k.sock');
  readonly clock: Time;
  readonly #started: Keeper[] = [];
  readonly #connections: KeeperConnection[] = [];

  constructor(clock: Time) {
    this.clock = clock;
  }

  /** Starts the keeper. */
  async start(options: Partial<KeeperOptions> = {}): Promise<Keeper> {
    const keeper = new Keeper({ build: '1.0.0', clock: this.clock, timers: this.clock, ...options });
    this.#started.push(keeper);
    await keeper.listen(this.address);
    return keeper;
  }

  /** Connects one more host. */
  async reach(): Promise<KeeperConnection> {
    const reached = await KeeperConnection.reach(this.address, { build: '1.0.0', timeoutMs: 5_000 });
    if (reached.outcome !== 'connected') throw new Error(JSON.stringify(reached));
    this.#connections.push(reached.connection);
    return reached.connection;
  }

  /** Starts `sh -c script` as pty `a`. */
  async spawnOn(connection: KeeperConnection, script: string): Promise<KeptPty> {
    const answer = await connection.request({ type: 'spawn', spec: shell('a', script) });
    if (answer.type !== 'spawned') throw new Error(answer.type);
    const pty = new KeptPty(connection, { ...answer, id: 'a' }, () => {});
    this.keepers.watch(pty);
    return pty;
  }

  /** Ids of the ptys that the keeper lists. */
  async idsOn(connection: KeeperConnection): Promise<readonly string[]> {
    const answer = await connection.request({ type: 'list' });
    return answer.type === 'listed' ? answer.ptys.map(({ id }) => id) : [];
  }

  /** Lets go, and waits until the keeper has seen it: only then does it count its time. */
  async leave(connection: KeeperConnection): Promise<void> {
    await connection.close();
    await this.untilCounting();
  }

  /** Resolves when the keeper counts its time: no host is there, and nothing is being ended. */
  untilCounting(): Promise<void> {
    return until('the keeper counts its time', () => this.clock.timerCount > 0);
  }

  /** Ends everything; rejects when a process is left. */
  async end(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
    await Promise.all(this.#started.map((keeper) => keeper.close()));
    await this.keepers.end();
  }
}

/** Whether it has ended by now. */
export function isEnded(keeper: Keeper): Promise<boolean> {
  return Promise.race([keeper.ended.then(() => true), turn(false)]);
}
