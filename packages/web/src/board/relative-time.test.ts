import { expect, it } from 'vitest';
import { relativeTime } from './relative-time.ts';

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
