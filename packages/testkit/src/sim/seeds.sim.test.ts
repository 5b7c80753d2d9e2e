import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Seeds of each half; both halves run in parallel. */
const HALF = 1_000;

const run = promisify(execFile);
const main = join(import.meta.dirname, 'main.ts');

/** Output of the command for `HALF` seeds from `first` on. Throws with the output when a seed fails. */
async function play(first: number): Promise<string> {
  const args = ['-C', '@agenthost/source', main, '--seed', `${first}`, '--runs', `${HALF}`];
  try {
    return (await run(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 })).stdout;
  } catch (error) {
    throw new Error(error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error), {
      cause: error,
    });
  }
}

test(`${2 * HALF} seeds run without a violation`, async () => {
  const told = await Promise.all([play(1), play(1 + HALF)]);
  for (const text of told) {
    process.stdout.write(text);
    expect(text).toMatch(/^1000 runs of 200 steps in \S+ s, all clean$/m);
  }
}, 600_000);
