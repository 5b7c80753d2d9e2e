import { FlagError, HELP, readFlags, type SimFlags } from './flags.ts';
import { simulate } from './simulate.ts';

async function play({ seed, runs, steps }: SimFlags): Promise<number> {
  for (let at = seed; at < seed + runs; at += 1) {
    try {
      await simulate({ seed: at, stepCount: steps, auditCount: 1 });
    } catch (error) {
      console.log(`seed ${at} failed`);
      console.log(error instanceof Error ? error.stack : String(error));
      return 1;
    }
  }
  console.log(`${runs} runs of ${steps} steps, all clean`);
  return 0;
}

async function main(): Promise<number> {
  try {
    const flags = readFlags(process.argv.slice(2));
    if (flags !== undefined) return await play(flags);
    process.stdout.write(HELP);
    return 0;
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    console.error(`sim: ${error.message}\nTry --help.`);
    return 2;
  }
}

process.exitCode = await main();
