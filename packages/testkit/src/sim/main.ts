import { inspect } from 'node:util';
import { FlagError, HELP, readFlags, type SimFlags } from './flags.ts';
import { Report } from './report.ts';
import { shrink } from './shrink.ts';
import { type Run, simulate } from './simulate.ts';
import { Trace } from './trace.ts';

/** Largest number of printed lines of a history, the last before the failure. */
const SHOWN_LINES = 150;

async function play({ seed, runs, steps, trace, counts, quick }: SimFlags): Promise<number> {
  const total = new Report();
  const startedAt = performance.now();
  for (let at = seed; at < seed + runs; at += 1) {
    const run: Run = {
      seed: at,
      stepCount: steps,
      trace: new Trace(trace ? 'everything' : undefined),
    };
    try {
      total.add(await simulate(run));
    } catch (error) {
      say(`seed ${at} failed`);
      say(told(error));
      if (trace) print(run.trace);
      else if (!quick) await explain(run, error);
      return 1;
    }
    if (trace) print(run.trace);
  }
  if (counts) say(total.toString());
  const seconds = (performance.now() - startedAt) / 1_000;
  say(`${runs} runs of ${steps} steps in ${seconds.toFixed(1)} s, all clean`);
  return 0;
}

/** Shrinks a failed run and prints its history. */
async function explain(failed: Run, error: unknown): Promise<void> {
  const shrunk = await shrink(failed, error);
  const trace = new Trace('history');
  let last: unknown;
  try {
    await simulate({ ...shrunk.run, trace });
  } catch (caught) {
    last = caught;
  }
  say(`${shrunk.stepCount} of ${failed.stepCount} steps are enough (${shrunk.replays} replays):`);
  print(trace);
  say(told(last));
  say(`play it again: npm run sim -- --seed ${failed.seed} --runs 1 --steps ${failed.stepCount}`);
}

function print(trace: Trace | undefined): void {
  const lines = trace?.lines ?? [];
  const left = lines.length - SHOWN_LINES;
  if (left > 0 && !process.argv.includes('--trace')) say(`  (${left} lines before)`);
  for (const line of process.argv.includes('--trace') ? lines : lines.slice(-SHOWN_LINES)) say(`  ${line}`);
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const told = (error: unknown): string => inspect(error, { depth: 4 });

async function main(): Promise<number> {
  try {
    const flags = readFlags(process.argv.slice(2));
    if (flags !== undefined) return await play(flags);
    process.stdout.write(HELP);
    return 0;
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    process.stderr.write(`sim: ${error.message}\nTry --help.\n`);
    return 2;
  }
}

process.exitCode = await main();
