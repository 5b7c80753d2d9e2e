import { SeededRandom } from '../seeded-random.ts';
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
  readonly outbox: { readonly softBytes: number; readonly hardBytes: number };
  /** How often, 0 to 1, an operation of the disk takes its time; up to 30 ms. */
  readonly slowDisk: number;
  /** How often, 0 to 1, agents misbehave. */
  readonly unruly: number;
  /** Index of the client that never resends, as those do that do not know the host; `undefined`: none. */
  readonly forgetful: number | undefined;
  /** Clients of another make: no epoch, no views, none of our extensions. */
  readonly foreignCount: number;
  /** Whether there is a client more, who may only look. */
  readonly hasObserver: boolean;
  /** Whether somebody is there from the beginning who may be sent away. */
  readonly hasGuest: boolean;
  /** How often each thing happens. */
  readonly steps: Readonly<Record<StepName, number>>;
}

/** Each world has some kinds of trouble and not others: so that what needs a lot of one is not drowned by the rest. */
export function worldOptionsOf(seed: number): WorldOptions {
  const random = SeededRandom.of(seed, 'world');
  const steps: Record<StepName, number> = { ...STEPS };
  for (const name of FAULTS) steps[name] *= random.pick([0, 0.3, 1, 1, 3]);
  return {
    seed,
    clientCount: random.between(2, 4),
    replayMs: random.pick([30_000, 30_000, 3_600_000]),
    unloadAfterMs: random.pick([5_000, 20_000]),
    // Some worlds have slow disks, some hosts with short patience for slow clients.
    slowDisk: random.pick([0, 0.05, 0.3]),
    outbox: random.chance(0.5)
      ? { softBytes: 1_000_000, hardBytes: 8_000_000 }
      : { softBytes: 2_000, hardBytes: 12_000 },
    unruly: random.pick([0, 0, 0.2, 0.6]),
    forgetful: random.chance(0.25) ? 1 : undefined,
    foreignCount: random.pick([0, 0, 1]),
    hasObserver: random.chance(0.2),
    hasGuest: random.chance(0.25),
    steps,
  };
}

const FAULTS = [
  'drop',
  'cutInside',
  'halfOpen',
  'hostLoses',
  'wayBackDies',
  'wayThereDies',
  'strayHandshake',
  'rivalComes',
  'crash',
  'crashSoon',
  'stop',
  'failCommit',
  'diskFills',
  'failRead',
] as const satisfies readonly StepName[];
