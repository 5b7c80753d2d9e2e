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

test('leaving out steps gives another trace, which is the same each time', async () => {
  const without = new Set(Array.from({ length: 150 }, (_, index) => index));
  const first = await traceOf(5, without);
  expect(await traceOf(5, without)).toBe(first);
  expect(first).not.toBe(await traceOf(5));
});

test.each([
  [34, 'a dispatch that was applied twice, for two epochs of one client id'],
  [1029, 'a dispatch that was applied twice when both epochs reconnected at once'],
  [5153, 'a dispatch that was applied twice after the replay window had lost the first'],
  [966, 'a turn that never ended, in a chat that could not be read at the start'],
  [55, 'a search snippet without the word, which was longer than the snippet'],
  [2862, 'an export without chats, of a session that was disposed during the export'],
  [239, 'a client that disconnected during a search, logged as a fault of the host'],
  [574753541, 'a timer of an import that began in the tick in which its host stopped'],
  [900001141, 'a timer of another import that began as its host stopped'],
  [800130, 'an agent that was started for an import that finished as its host stopped'],
  [1203817903, 'a widened window that was not told of dropped turns after a reconnect'],
  [384075086, 'a window of an older version that the host assumed to be too wide'],
  [384076505, 'a snapshot from before a truncation without effect, for a window without its turn'],
])('seed %i, which found %s', async (seed) => {
  expect((await simulate({ seed, stepCount: 200 })).of('audits')).toBe(1);
});

test('seed 11, which found a steering message that stayed queued for ever after the journal failed', async () => {
  expect((await simulate({ seed: 11, stepCount: 1_700 })).of('audits')).toBe(1);
});

test('a failure is shrunk to the steps that it needs, with the same number of replays each time', async () => {
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

test('code outside of the product may read the time during a run', async () => {
  expect(await withoutRealWorld(async () => typeof Date.now())).toBe('number');
});

test('flags are read, and an invalid flag throws a `FlagError`', () => {
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

test('a difference names its path, and an undefined property counts as absent', () => {
  expect(differenceOf({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] })).toBe('.a.1.b: 2 instead of 3');
  expect(differenceOf({ a: undefined }, {})).toBeUndefined();
  expect(differenceOf({}, { a: 1 })).toBe('.a: absent instead of 1');
  expect(differenceOf([1], [1, 2])).toBe('.1: absent instead of 2');
});
