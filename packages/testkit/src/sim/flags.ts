import { parseArgs } from 'node:util';
import { errorText } from '@agenthost/protocol/values';

/** Options of `npm run sim`. */
export interface SimFlags {
  /** Seed of the first run; later runs use the following seeds. */
  readonly seed: number;
  readonly runs: number;
  /** Steps per run. */
  readonly steps: number;
  /** Whether to print every frame. */
  readonly trace: boolean;
  /** Whether to report a failure without shrinking it. */
  readonly quick: boolean;
  /** Whether to print how often each kind of event happened. */
  readonly counts: boolean;
}

/** Invalid flags. The command prints the message. */
export class FlagError extends Error {
  override readonly name = 'FlagError';
}

export const HELP = `usage: npm run sim -- [--seed N] [--runs R] [--steps M] [--counts] [--quick] [--trace]

Plays seeded runs of the whole product on simulated time, network, disk, agents and terminals, and
checks after each that nothing was lost. The same seed gives the same run.

  --seed N    seed of the first run; the others count on from it   default 1
  --runs R    how many runs                                        default 300
  --steps M   how many things happen in a run                      default 200
  --counts    prints how often each thing happened
  --quick     tells a failure as it is, without shrinking it
  --trace     prints all that happens, frame by frame
  --help      prints this

Exits 0 when all runs were clean, 1 after the first that failed (the line "seed N failed", and what
is left of its history after shrinking), 2 when the flags cannot be understood.
`;

/** Reads the flags of `npm run sim`. `undefined`: help was requested. Throws `FlagError`. */
export function readFlags(args: readonly string[]): SimFlags | undefined {
  const { values } = parse(args);
  if (values.help === true) return undefined;
  return {
    seed: whole('--seed', values.seed ?? '1', 0),
    runs: whole('--runs', values.runs ?? '300', 1),
    steps: whole('--steps', values.steps ?? '200', 0),
    trace: values.trace === true,
    counts: values.counts === true,
    quick: values.quick === true,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string' },
        runs: { type: 'string' },
        steps: { type: 'string' },
        trace: { type: 'boolean' },
        counts: { type: 'boolean' },
        quick: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new FlagError(errorText(error), { cause: error });
  }
}

function whole(flag: string, text: string, least: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least)
    throw new FlagError(`${flag}: expected a whole number of at least ${least}, got ${JSON.stringify(text)}`);
  return value;
}
