import { VERSION_LINES, type VersionLine } from '@agenthost/protocol';
import { SeededRandom } from '../seeded-random.ts';
import { STEPS, type StepName } from './steps.ts';

/** Options that differ between runs. */
export interface WorldOptions {
  readonly seed: number;
  readonly clientCount: number;
  /** Greatest age of a replayable envelope, in simulated milliseconds. */
  readonly replayMs: number;
  /** Time until an unused channel is unloaded, in simulated milliseconds. */
  readonly unloadAfterMs: number;
  /** Limits of queued output per connection, in bytes. */
  readonly outbox: { readonly softBytes: number; readonly hardBytes: number; readonly totalBytes: number };
  /** Disconnected clients of a token that are remembered although they have done nothing. */
  readonly maxAwayClients: number;
  /** Probability that a disk operation is slow (up to 30 ms). */
  readonly slowDisk: number;
  /** Probability that an agent misbehaves. */
  readonly unruly: number;
  /** Index of the client that never resends actions; `undefined`: none. */
  readonly forgetful: number | undefined;
  /** Window of one client, in turns. */
  readonly viewTurns: number;
  /** Turns of a chat before the first step. */
  readonly history: number;
  /** Probability that a millisecond passes between two reads of the clock by the host. */
  readonly workTime: number;
  /** Whether turns are deleted because of their age. */
  readonly dropsTurns: boolean;
  /** Versions of the foreign clients, which use no epoch and no extensions. */
  readonly foreignVersions: readonly VersionLine[];
  /** Whether clients comment on files. */
  readonly annotates: boolean;
  /** Whether there is an observing client. */
  readonly hasObserver: boolean;
  /** Whether there is a guest from the start. */
  readonly hasGuest: boolean;
  /** Additional terminals without initial subscribers. */
  readonly unseenTerminals: number;
  /** Probability that the pty keeper answers a starting host late. */
  readonly silentKeeper: number;
  /** Weights of the kinds of step. */
  readonly steps: Readonly<Record<StepName, number>>;
}

/** A world has only some kinds of fault, so that frequent kinds do not hide rare ones. */
export function worldOptionsOf(seed: number): WorldOptions {
  const random = SeededRandom.of(seed, 'world');
  const steps: Record<StepName, number> = { ...STEPS };
  for (const name of VARIED) steps[name] *= random.pick([0, 0.3, 1, 1, 3]);
  return {
    seed,
    clientCount: random.between(2, 4),
    replayMs: random.pick([30_000, 30_000, 3_600_000]),
    unloadAfterMs: random.pick([5_000, 20_000]),
    // Some worlds have slow disks; some have hosts with low limits for slow clients.
    slowDisk: random.pick([0, 0.05, 0.3]),
    outbox: random.chance(0.5)
      ? { softBytes: 1_000_000, hardBytes: 8_000_000, totalBytes: 64_000_000 }
      : { softBytes: 2_000, hardBytes: 12_000, totalBytes: random.pick([20_000, 1_000_000]) },
    maxAwayClients: random.pick([1, 3, 1_024]),
    unruly: random.pick([0, 0, 0.2, 0.6]),
    forgetful: random.chance(0.25) ? 1 : undefined,
    viewTurns: random.pick([0, 1, 2]),
    // Some worlds have more turns than the host keeps in memory.
    history: random.pick([0, 3, 3, 7, 7, 7, 7, 45]),
    workTime: random.pick([0, 0, 0.1]),
    dropsTurns: random.chance(0.5),
    foreignVersions: foreignVersionsOf(seed, random.pick([0, 1, 2, 2, 3])),
    hasObserver: random.chance(0.2),
    hasGuest: random.chance(0.25),
    // These draw no random number, so that other worlds stay the same.
    annotates: seed % 3 === 1,
    unseenTerminals: seed % 7 === 3 ? 12 : 0,
    silentKeeper: seed % 7 === 3 ? 0.3 : 0,
    steps,
  };
}

/** A world has clients of old and of new versions, and neighbouring seeds have other ones. */
const foreignVersionsOf = (seed: number, count: number): VersionLine[] =>
  Array.from(
    { length: count },
    (_, index) => VERSION_LINES[(seed + index * 4) % VERSION_LINES.length] ?? '1.0.0',
  );

/** Kinds of step whose weight differs between worlds. */
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
