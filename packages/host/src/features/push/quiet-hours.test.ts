import { expect, test } from 'vitest';
import { isQuiet, quietHoursProblem } from './quiet-hours.ts';

const at = (time: string): number => Date.parse(`2026-06-01T${time}:00Z`);

test.each([
  ['22:00', '07:00', '21:59', false],
  ['22:00', '07:00', '22:00', true],
  ['22:00', '07:00', '00:00', true],
  ['22:00', '07:00', '06:59', true],
  ['22:00', '07:00', '07:00', false],
  ['09:00', '17:00', '08:59', false],
  ['09:00', '17:00', '12:00', true],
  ['09:00', '17:00', '17:00', false],
  ['08:00', '08:00', '03:00', true],
])('%s to %s at %s', (from, to, time, expected) => {
  expect(isQuiet({ from, to, timeZone: 'UTC' }, at(time))).toBe(expected);
});

test('the time zone decides, with its summer time', () => {
  const hours = { from: '22:00', to: '23:00', timeZone: 'Europe/Berlin' };
  expect(isQuiet(hours, Date.parse('2026-06-01T20:30:00Z'))).toBe(true);
  expect(isQuiet(hours, Date.parse('2026-12-01T20:30:00Z'))).toBe(false);
  expect(isQuiet(hours, Date.parse('2026-12-01T21:30:00Z'))).toBe(true);
});

test.each([
  [{ from: '24:00', to: '07:00', timeZone: 'UTC' }, 'from'],
  [{ from: '22:00', to: '7:00', timeZone: 'UTC' }, 'to'],
  [{ from: '22:00', to: '07:00', timeZone: 'Mars/Olympus' }, 'timeZone'],
])('%o is refused', (hours, field) => {
  expect(quietHoursProblem(hours)).toContain(field);
});
