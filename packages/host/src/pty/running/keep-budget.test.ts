import { expect, it } from 'vitest';
import { KeepBudget } from './keep-budget.ts';
import { KeptOutput } from './kept-output.ts';

const LINE = 'nine char\n';

/** Output of this many lines, counted in the budget. */
function member(budget: KeepBudget, lineCount: number): KeptOutput {
  const kept = new KeptOutput();
  kept.append(Buffer.from(LINE.repeat(lineCount)));
  budget.join(kept);
  return kept;
}

it('the member with the most output drops its oldest lines until all fit', () => {
  const budget = new KeepBudget(1_000);
  const small = member(budget, 10);
  const large = member(budget, 80);
  expect([small.length, large.length]).toEqual([100, 800]);
  const last = member(budget, 30);
  expect([small.length, large.length, last.length]).toEqual([100, 600, 300]);
  expect([large.start, large.end]).toEqual([200, 800]);
});

it('members that grow equally keep equal amounts', () => {
  const budget = new KeepBudget(10_000);
  const idle = member(budget, 100);
  const floods = [member(budget, 900), member(budget, 0), member(budget, 0)];
  for (let round = 0; round < 2_000; round += 1) {
    for (const flood of floods) {
      flood.append(Buffer.from(LINE));
      budget.settle();
    }
  }
  expect(idle.length).toBe(1_000);
  expect(floods.map(({ length }) => length)).toEqual([3_000, 3_000, 3_000]);
});

it('a removed member no longer counts, and a line longer than the budget keeps its end', () => {
  const budget = new KeepBudget(100);
  const read = member(budget, 10);
  budget.leave(read);
  const other = member(budget, 10);
  expect([read.length, other.length]).toEqual([100, 100]);
  expect(member(new KeepBudget(5), 3).length).toBe(5);
});
