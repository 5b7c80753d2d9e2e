import { expect, it } from 'vitest';
import { relativeTime, shortTime } from './relative-time.ts';

const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });
const NOW = Date.UTC(2026, 0, 15);
const MINUTE = 60_000;

it('uses the largest unit that fits', () => {
  expect(relativeTime(NOW - 30_000, NOW, format)).toBe('now');
  expect(relativeTime(NOW - 5 * MINUTE, NOW, format)).toBe('5 minutes ago');
  expect(relativeTime(NOW - 119 * MINUTE, NOW, format)).toBe('1 hour ago');
  expect(relativeTime(NOW - 25 * 60 * MINUTE, NOW, format)).toBe('yesterday');
  expect(relativeTime(NOW - 400 * 24 * 60 * MINUTE, NOW, format)).toBe('last year');
});

it('shows a time in the future as now, because clocks differ', () => {
  expect(relativeTime(NOW + 10 * MINUTE, NOW, format)).toBe('now');
});

it('narrow columns get a number and a letter, up to a month', () => {
  const short = (count: number, unit: string): string => `${count}${unit[0]}`;
  const at = (age: number): string => shortTime(NOW - age, NOW, format, short);
  expect([30_000, 5 * 60_000, 7_200_000, 86_400_000 * 3, 86_400_000 * 15, 86_400_000 * 40].map(at)).toEqual([
    'now',
    '5m',
    '2h',
    '3d',
    '2w',
    'last month',
  ]);
});
