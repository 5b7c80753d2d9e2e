import { describe, expect, test } from 'vitest';
import { SettledClock } from './settled-clock.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const START = Date.UTC(2026, 0, 1);

function clockOf(lastTime = START) {
  let steady = 5;
  let offset = START - steady;
  const settled = new SettledClock({ now: () => steady + offset, elapsed: () => steady }, lastTime);
  return {
    jump: (ms: number): void => void (offset += ms),
    /** Reads the clock each minute, as maintenance does. */
    pass: (ms: number): number[] => {
      const seen: number[] = [];
      for (const end = steady + ms; steady < end; ) {
        steady += MINUTE;
        seen.push(settled.now() - START);
      }
      return seen;
    },
  };
}

describe('the clock for deletions by age', () => {
  test('follows the wall clock, small corrections included', () => {
    const { jump, pass } = clockOf();
    expect(pass(3 * MINUTE)).toEqual([MINUTE, 2 * MINUTE, 3 * MINUTE]);
    jump(2 * MINUTE);
    expect(pass(MINUTE)).toEqual([6 * MINUTE]);
  });

  test('ignores a jump of the wall clock by a day that is corrected again', () => {
    const { jump, pass } = clockOf();
    jump(DAY);
    expect(pass(59 * MINUTE).at(-1)).toBe(59 * MINUTE);
    jump(-DAY);
    expect(pass(2 * MINUTE)).toEqual([60 * MINUTE, 61 * MINUTE]);
    jump(DAY);
    expect(pass(30 * MINUTE).at(-1)).toBe(91 * MINUTE);
  });

  test('accepts a jump ahead after an hour, and a jump back at once', () => {
    const { jump, pass } = clockOf();
    jump(DAY);
    expect(pass(61 * MINUTE).at(-1)).toBe(DAY + 61 * MINUTE);
    jump(-2 * DAY);
    expect(pass(MINUTE)).toEqual([62 * MINUTE - DAY]);
  });

  test('begins at the end of the earlier host, and accepts the wall clock an hour later', () => {
    const { pass } = clockOf(START - 30 * DAY);
    expect(pass(MINUTE)).toEqual([MINUTE - 30 * DAY]);
    expect(pass(60 * MINUTE).at(-1)).toBe(61 * MINUTE);
    expect(clockOf(START + DAY).pass(MINUTE)).toEqual([MINUTE]);
    expect(clockOf(0).pass(MINUTE)).toEqual([MINUTE]);
  });
});
