import { SeededRandom } from '../seeded-random.ts';
import type { ForeignVersion } from './foreign-client.ts';
import { STEPS, type StepName } from './steps.ts';

/** What differs between runs. */
export interface WorldOptions {
  readonly seed: number;
  readonly clientCount: number;
  /** How long envelopes stay replayable, ms of simulated time. */
  readonly replayMs: number;
  /** How long an unused channel stays in memory, ms of simulated time. */
  readonly unloadAfterMs: number;
  /** Bounds of what waits for one connection, in bytes. */
  readonly outbox: { readonly softBytes: number; readonly hardBytes: number; readonly totalBytes: number };
  /** Clients of one token that are away and remembered though they have done nothing. */
  readonly maxAwayClients: number;
  /** How often, 0 to 1, an operation of the disk takes its time; up to 30 ms. */
  readonly slowDisk: number;
  /** How often, 0 to 1, agents misbehave. */
  readonly unruly: number;
  /** Index of the client that never resends, as those do that do not know the host; `undefined`: none. */
  readonly forgetful: number | undefined;
  /** Turns that one client looks at. */
  readonly viewTurns: number;
  /** Turns that a chat has before anything happens. */
  readonly history: number;
  /** How often, 0 to 1, a millisecond goes by between two looks of the host at its clock. */
  readonly workTime: number;
  /** Whether turns are dropped for their age. */
  readonly dropsTurns: boolean;
  /** Clients of another make, by the version that each speaks: no epoch, none of our extensions. */
  readonly foreignVersions: readonly ForeignVersion[];
  /** Whether there is a client more, who may only look. */
  readonly hasObserver: boolean;
  /** Whether somebody is there from the beginning who may be sent away. */
  readonly hasGuest: boolean;
  /** Terminals more than every world has, without subscribers at first. */
  readonly unseenTerminals: number;
  /** How often, 0 to 1, the owner of the ptys does not answer a host that starts, for a while. */
  readonly silentKeeper: number;
  /** How often each thing happens. */
  readonly steps: Readonly<Record<StepName, number>>;
}

/** Each world has some kinds of trouble and not others: so that what needs a lot of one is not drowned by the rest. */
export function worldOptionsOf(seed: number): WorldOptions {
  const random = SeededRandom.of(seed, 'world');
  const steps: Record<StepName, number> = { ...STEPS };
  for (const name of VARIED) steps[name] *= random.pick([0, 0.3, 1, 1, 3]);
  return {
    seed,
    clientCount: random.between(2, 4),
    replayMs: random.pick([30_000, 30_000, 3_600_000]),
    unloadAfterMs: random.pick([5_000, 20_000]),
    // Some worlds have slow disks, some hosts with short patience for slow clients.
    slowDisk: random.pick([0, 0.05, 0.3]),
    outbox: random.chance(0.5)
      ? { softBytes: 1_000_000, hardBytes: 8_000_000, totalBytes: 64_000_000 }
      : { softBytes: 2_000, hardBytes: 12_000, totalBytes: random.pick([20_000, 1_000_000]) },
    maxAwayClients: random.pick([1, 3, 1_024]),
    unruly: random.pick([0, 0, 0.2, 0.6]),
    forgetful: random.chance(0.25) ? 1 : undefined,
    viewTurns: random.pick([0, 1, 2]),
    // More than the host keeps in memory, in some.
    history: random.pick([0, 3, 3, 7, 7, 7, 7, 45]),
    workTime: random.pick([0, 0, 0.1]),
    dropsTurns: random.chance(0.5),
    foreignVersions: random.pick([[], [], ['0.5.2'], ['0.5.1'], ['0.5.0', '0.5.2']] as const),
    hasObserver: random.chance(0.2),
    hasGuest: random.chance(0.25),
    // By the number alone, so that worlds without them stay as they were.
    unseenTerminals: seed % 7 === 3 ? 12 : 0,
    silentKeeper: seed % 7 === 3 ? 0.3 : 0,
    steps,
  };
}

/** Steps that some worlds have none of, and some a lot. */
const VARIED = [
  'drop',
  'cutInside',
  'halfOpen',
  'hostLoses',
  'wayBackDies',
  'wayThereDies',
  'strayHandshake',
  'loseAnswer',
  'renew',
  'livesPass',
  'shortTurn',
  'historyMeets',
  'rivalComes',
  'crash',
  'crashSoon',
  'stop',
  'failCommit',
  'diskFills',
  'failRead',
] as const satisfies readonly StepName[];
