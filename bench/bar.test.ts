import { describe, expect, it } from 'vitest';
import { alternate, judge, median } from './bar.ts';

describe('the bars of the benchmarks', () => {
  it.each([
    [0.5, 'met'],
    [0.49, 'missed'],
    [0.36, 'missed'],
    [0.34, 'failed'],
    [Number.NaN, 'failed'],
  ])('a throughput of %d against at least 0.5 is %s', (ratio, verdict) => {
    expect(judge(ratio, { atLeast: 0.5 })).toBe(verdict);
  });

  it.each([
    [2, 'met'],
    [2.5, 'missed'],
    [2.7, 'failed'],
    [Number.NaN, 'failed'],
  ])('a cost of %d against at most 2 is %s', (ratio, verdict) => {
    expect(judge(ratio, { atMost: 2 })).toBe(verdict);
  });

  it('takes the middle', () => {
    expect(median([10, 1, 3])).toBe(3);
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });

  it('runs both sides in turn and compares neighbours', async () => {
    const order: string[] = [];
    let load = 0;
    const result = await alternate(
      () => {
        order.push('ours');
        load += 1;
        return 2 * load;
      },
      () => {
        order.push('baseline');
        return load;
      },
    );
    expect(order.join(' ')).toBe(Array.from({ length: 5 }, () => 'ours baseline').join(' '));
    expect(result).toEqual({ ours: 6, baseline: 3, ratio: 2 });
  });
});
