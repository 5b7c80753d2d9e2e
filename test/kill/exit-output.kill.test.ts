import { afterAll, describe, expect, test } from 'vitest';
import { contractSpec } from '../../packages/host/src/pty/contract/contract-spec.ts';
import { TestKeepers } from '../../packages/host/src/pty/keeper/contract-keepers.ts';
import type { Pty, PtyOwner } from '../../packages/host/src/pty/pty.ts';
import { NodePtyOwner } from '../../packages/host/src/pty/running/node-pty.ts';

const RUNS = 200;
/** Runs at a time. They delay each other, so that programs end at different stages of the read. */
const AT_ONCE = 4;
const LAST = 1_000_000;

const expected = Buffer.from(Array.from({ length: LAST }, (_, index) => `${index + 1}\r\n`).join(''));

/** Result of one run: `complete`, or the fault. */
type Outcome = 'complete' | 'cut short' | 'altered' | 'wrong exit code';

/** Reads a run of `seq` to its end and compares each chunk. */
async function outcomeOf(pty: Pty): Promise<Outcome> {
  const exit = Promise.withResolvers<number>();
  let length = 0;
  let isAltered = false;
  pty.read(0, {
    data: (bytes, offset) => {
      const end = offset + bytes.length;
      isAltered ||=
        offset !== length || end > expected.length || !expected.subarray(offset, end).equals(bytes);
      length = end;
      pty.acknowledge(end);
    },
    exit: ({ exitCode }) => exit.resolve(exitCode),
  });
  const exitCode = await exit.promise;
  pty.release();
  if (isAltered) return 'altered';
  if (length < expected.length) return 'cut short';
  return exitCode === 0 ? 'complete' : 'wrong exit code';
}

/** Runs `seq` repeatedly, several at a time. Prints and returns the number of each outcome. */
async function countOutcomes(name: string, owner: PtyOwner): Promise<Partial<Record<Outcome, number>>> {
  const counts: Partial<Record<Outcome, number>> = {};
  const started = performance.now();
  let runsLeft = RUNS;
  const work = async (): Promise<void> => {
    while (runsLeft > 0) {
      runsLeft -= 1;
      const outcome = await outcomeOf(await owner.spawn(contractSpec(['seq', '1', String(LAST)])));
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const facts = { owner: name, runs: RUNS, bytesEach: expected.length, atOnce: AT_ONCE, ...counts, seconds };
  process.stdout.write(`output at exit: ${JSON.stringify(facts)}\n`);
  return counts;
}

describe(`a program that puts out 7.9 MB and ends, ${RUNS} times`, () => {
  const keepers = new TestKeepers();
  afterAll(() => keepers.end());

  test('[TERM-6] loses no byte at its end in a pty of the host itself', async () => {
    const owner = new NodePtyOwner();
    try {
      expect(await countOutcomes('in process', owner)).toEqual({ complete: RUNS });
    } finally {
      await owner.close();
    }
  }, 600_000);

  test('[TERM-6] loses no byte at its end in a pty of a keeper', async () => {
    expect(await countOutcomes('keeper', keepers.owner())).toEqual({ complete: RUNS });
  }, 600_000);
});
