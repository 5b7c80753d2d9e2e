import { describe, expect, test } from 'vitest';
import { compileSchedule, nextTimes } from './schedule.ts';

const at = (text: string): number => Date.parse(text);

function following(expression: string, timeZone: string, after: string, count: number): string[] {
  const schedule = compileSchedule({ expression, timeZone });
  const found: string[] = [];
  for (let time: number | undefined = at(after); found.length < count; ) {
    time = schedule.next(time);
    if (time === undefined) return found;
    found.push(new Date(time).toISOString());
  }
  return found;
}

describe('a schedule', () => {
  test('[AUTO-5] has minutes, lists, ranges and steps', () => {
    expect(following('*/20 9-10 * * *', 'UTC', '2026-06-01T09:25:00Z', 5)).toEqual([
      '2026-06-01T09:40:00.000Z',
      '2026-06-01T10:00:00.000Z',
      '2026-06-01T10:20:00.000Z',
      '2026-06-01T10:40:00.000Z',
      '2026-06-02T09:00:00.000Z',
    ]);
    expect(following('5,10-20/5 0 1 JAN *', 'UTC', '2026-06-01T00:00:00Z', 4)).toEqual([
      '2027-01-01T00:05:00.000Z',
      '2027-01-01T00:10:00.000Z',
      '2027-01-01T00:15:00.000Z',
      '2027-01-01T00:20:00.000Z',
    ]);
  });

  test('[AUTO-5] names days and months in any case, and 0 and 7 are Sunday', () => {
    const sundays = ['2026-06-07T12:00:00.000Z', '2026-06-14T12:00:00.000Z'];
    for (const day of ['0', '7', 'SUN', 'sun'])
      expect(following(`0 12 * jun ${day}`, 'UTC', '2026-06-01T00:00:00Z', 2)).toEqual(sundays);
    const weekend = ['2026-06-05', '2026-06-06', '2026-06-07', '2026-06-12'];
    for (const days of ['5-7', 'Fri-Sun', 'FRI,SAT,0'])
      expect(
        following(`0 0 * * ${days}`, 'UTC', '2026-06-01T00:00:00Z', 4).map((t) => t.slice(0, 10)),
      ).toEqual(weekend);
  });

  test('[AUTO-5] with both day fields restricted, either matches', () => {
    expect(following('0 0 13 * FRI', 'UTC', '2026-06-01T00:00:00Z', 4)).toEqual([
      '2026-06-05T00:00:00.000Z',
      '2026-06-12T00:00:00.000Z',
      '2026-06-13T00:00:00.000Z',
      '2026-06-19T00:00:00.000Z',
    ]);
    expect(following('0 0 13 * *', 'UTC', '2026-06-01T00:00:00Z', 1)).toEqual(['2026-06-13T00:00:00.000Z']);
  });

  test('[AUTO-5] a local minute that does not exist is skipped', () => {
    // On 29 March 2026 clocks in Berlin go from 02:00 to 03:00.
    expect(following('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', 2)).toEqual([
      '2026-03-28T01:30:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
    // Samoa left out 30 December 2011.
    expect(following('0 12 30 12 *', 'Pacific/Apia', '2011-12-01T00:00:00Z', 1)).toEqual([
      '2012-12-29T22:00:00.000Z',
    ]);
  });

  test('[AUTO-5] a local minute that occurs twice counts at both instants', () => {
    // On 25 October 2026 clocks in Berlin go from 03:00 back to 02:00.
    expect(following('0,30 2 25 10 *', 'Europe/Berlin', '2026-10-01T00:00:00Z', 4)).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T01:30:00.000Z',
    ]);
    // In Havana the hour before 01:00 occurs twice: midnight belongs to one day only.
    expect(following('30 0 1 11 *', 'America/Havana', '2026-10-01T00:00:00Z', 2)).toEqual([
      '2026-11-01T04:30:00.000Z',
      '2026-11-01T05:30:00.000Z',
    ]);
    // In Nuuk the hour before midnight occurs twice.
    expect(following('30 23 * * *', 'America/Nuuk', '2026-10-24T00:00:00Z', 3)).toEqual([
      '2026-10-24T00:30:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:30:00.000Z',
    ]);
  });

  test('[AUTO-5] zones with odd offsets keep their minutes', () => {
    expect(following('15 6 * * *', 'Asia/Kathmandu', '2026-06-01T01:00:00Z', 1)).toEqual([
      '2026-06-02T00:30:00.000Z',
    ]);
    expect(following('0 3 29 2 *', 'UTC', '2026-06-01T00:00:00Z', 2)).toEqual([
      '2028-02-29T03:00:00.000Z',
      '2032-02-29T03:00:00.000Z',
    ]);
  });

  test.each([
    '',
    '* * * *',
    '* * * * * *',
    '@daily',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 13 *',
    '* * * * 8',
    '5/10 * * * *',
    '*/0 * * * *',
    '10-5 * * * *',
    '1,,2 * * * *',
    '1-2-3 * * * *',
    '*/5/5 * * * *',
    '-1 * * * *',
    '1.5 * * * *',
    '? * * * *',
    '* * L * *',
    '* * 15W * *',
    '* * * * 5#2',
    '* * * FOO *',
    '0 0 30 2 *',
  ])('[AUTO-5] an invalid expression is refused: %s', (expression) => {
    expect(() => compileSchedule({ expression, timeZone: 'UTC' })).toThrow(/expected|names no day/);
  });

  test.each(['', 'Mars/Olympus', '+02:00', 'Europe/Berlin '])(
    '[AUTO-5] an unknown time zone is refused: %s',
    (timeZone) => {
      expect(() => compileSchedule({ expression: '* * * * *', timeZone })).toThrow(/^timeZone: /);
    },
  );

  test('[AUTO-6] the last missed occurrence is found after any time', () => {
    const schedule = compileSchedule({ expression: '0 9 * * MON', timeZone: 'UTC' });
    expect(schedule.latest(at('2026-01-01T00:00:00Z'), at('2026-06-03T00:00:00Z'))).toBe(
      at('2026-06-01T09:00:00Z'),
    );
    expect(schedule.latest(at('2026-06-01T09:00:00Z'), at('2026-06-08T08:59:59Z'))).toBeUndefined();
    expect(schedule.latest(at('2026-06-01T09:00:00Z'), at('2026-06-08T09:00:00Z'))).toBe(
      at('2026-06-08T09:00:00Z'),
    );
  });

  test('[AUTO-5] a schedule knows whether two occurrences can be closer than an interval', () => {
    const isDense = (expression: string): boolean =>
      compileSchedule({ expression, timeZone: 'UTC' }).isDenserThan(15);
    expect(['* * * * *', '0,10 0 * * *', '0,55 0,23 * * *'].map(isDense)).toEqual([true, true, true]);
    expect(['*/15 * * * *', '0 0 1 1 *', '0,50 0,23 1 * *'].map(isDense)).toEqual([false, false, false]);
  });

  test('the next times of several schedules are in order, and each is named once', () => {
    const schedules = ['0 9 * * *', '0 9,12 * * *'].map((expression) =>
      compileSchedule({ expression, timeZone: 'UTC' }),
    );
    const times = nextTimes(schedules, at('2026-06-01T10:00:00Z'), 3);
    expect(times.map((time) => new Date(time).toISOString())).toEqual([
      '2026-06-01T12:00:00.000Z',
      '2026-06-02T09:00:00.000Z',
      '2026-06-02T12:00:00.000Z',
    ]);
    expect(nextTimes([], 0, 3)).toEqual([]);
  });
});
