import { defined } from '@agenthost/protocol/values';
import { expect, test } from 'vitest';
import { differenceOf } from './difference.ts';
import { FlagError, readFlags } from './flags.ts';
import { withoutRealWorld } from './real-world.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';
import { Trace } from './trace.ts';
import { Violation } from './violation.ts';

async function traceOf(seed: number, without?: ReadonlySet<number>): Promise<string> {
  const trace = new Trace('everything');
  await simulate({ seed, stepCount: 200, trace, ...defined({ without }) });
  return trace.lines.join('\n');
}

/** The long run plays more of them, with more steps: `convergence.sim.test.ts`. */
test.each([1, 2, 3, 4])(
  '[REC-1] [ACT-6] [CONN-2] [CONN-4] [CONN-5] [CONN-6] all clients converge with the host on the schedule of seed %i',
  async (seed) => {
    expect((await simulate({ seed, stepCount: 700, auditCount: 2 })).of('audits')).toBe(2);
  },
);

test.each([3, 8, 21, 34])('seed %i gives the same trace each time, byte for byte', async (seed) => {
  const first = await traceOf(seed);
  expect(first.split('\n').length).toBeGreaterThan(100);
  expect(await traceOf(seed)).toBe(first);
});

test('steps that are left out change nothing about what the others choose', async () => {
  const without = new Set(Array.from({ length: 150 }, (_, index) => index));
  const first = await traceOf(5, without);
  expect(await traceOf(5, without)).toBe(first);
  expect(first).not.toBe(await traceOf(5));
});

test.each([
  [34, 'a dispatch that was applied twice, of two lives under one client id'],
  [1029, 'the same, where both come back at the same moment'],
  [5153, 'the same, once the replay window had forgotten the first'],
  [966, 'a turn that nobody ended, of a chat that could not be read at the start'],
  [55, 'a search that shows a text without the word, where the word is longer than what is shown'],
  [2862, 'an export without chats, of a session that was disposed of as it was read'],
  [239, 'a client that leaves in the middle of a search, told as a fault of the host'],
  [574753541, 'a timer of an import that began in the tick in which its host stopped'],
  [900001141, 'the same, of another import'],
  [800130, 'an agent that was started for an import which was finished as its host stopped'],
  [1203817903, 'a window that its client had widened, and that retention did not tell after a reconnect'],
  [384075086, 'a window of an older version, which the host took for wider than it was'],
  [384076505, 'a snapshot from before a truncation that cuts nothing, with a window that lacks its turn'],
])('the seed that found %s: %s', async (seed) => {
  expect((await simulate({ seed, stepCount: 200 })).of('audits')).toBe(1);
});

test('the seed that found a steering message that the host queued for ever, while its journal was down', async () => {
  expect((await simulate({ seed: 11, stepCount: 1_700 })).of('audits')).toBe(1);
});

test('a failure is shrunk to the steps that it takes, the same ones each time', async () => {
  const needed = [17, 90, 133];
  const play = async ({ without = new Set<number>() }: { without?: ReadonlySet<number> }): Promise<void> => {
    if (needed.every((index) => !without.has(index))) throw new Violation('once', 'applied twice');
    // Another failure does not count.
    if (!without.has(90)) throw new Violation('leftover', 'a timer');
  };
  const error = new Violation('once', 'as it was first');
  const { run, stepCount, replays } = await shrink({ seed: 1, stepCount: 200 }, error, { play });
  expect(needed.filter((index) => run.without?.has(index))).toEqual([]);
  expect(stepCount).toBe(3);
  expect((await shrink({ seed: 1, stepCount: 200 }, error, { play })).replays).toBe(replays);
});

test('who is no part of the product may ask for the time meanwhile', async () => {
  expect(await withoutRealWorld(async () => typeof Date.now())).toBe('number');
});

test('flags are read, and what cannot be understood is told', () => {
  expect(readFlags(['--seed', '7', '--runs', '2', '--steps', '9'])).toMatchObject({
    seed: 7,
    runs: 2,
    steps: 9,
  });
  expect(readFlags([])).toMatchObject({ seed: 1, runs: 300, steps: 200, trace: false });
  expect(readFlags(['--help'])).toBeUndefined();
  for (const wrong of [['--runs', '0'], ['--seed', '-1'], ['--steps', '1.5'], ['--what'], ['seven']])
    expect(() => readFlags(wrong)).toThrow(FlagError);
});

test('a difference is told by its path, and what is undefined counts as absent', () => {
  expect(differenceOf({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] })).toBe('.a.1.b: 2 instead of 3');
  expect(differenceOf({ a: undefined }, {})).toBeUndefined();
  expect(differenceOf({}, { a: 1 })).toBe('.a: absent instead of 1');
  expect(differenceOf([1], [1, 2])).toBe('.1: absent instead of 2');
});
