import { expect, test } from 'vitest';
import { choiceOf, expressionsOf } from './schedule-choice.ts';

test.each([
  ['15 * * * *', { repeat: 'hourly', minute: 15 }],
  ['5 3 * * *', { repeat: 'daily', time: '03:05' }],
  ['0 9 * * 1-5', { repeat: 'weekdays', time: '09:00' }],
  ['30 17 * * 0', { repeat: 'weekly', weekday: 0, time: '17:30' }],
  ['0 0 31 * *', { repeat: 'monthly', day: 31, time: '00:00' }],
  ['*/5 * * * *', { repeat: 'custom', expressions: '*/5 * * * *' }],
  ['0 3 1 * 1', { repeat: 'custom' }],
  ['0 * 1 * *', { repeat: 'custom' }],
])('the form shows %s, and gives the same expression again', (expression, choice) => {
  expect(choiceOf([expression])).toMatchObject(choice);
  expect(expressionsOf(choiceOf([expression]))).toEqual([expression]);
});

test('the form has no times, several, and a daily one for a new automation', () => {
  expect(expressionsOf(choiceOf([]))).toEqual([]);
  expect(expressionsOf(choiceOf(['0 3 * * *', '0 4 * * *']))).toEqual(['0 3 * * *', '0 4 * * *']);
  expect(expressionsOf(choiceOf(undefined))).toEqual(['0 3 * * *']);
});
