import { expect, test } from 'vitest';
import { forkTitle } from './fork.ts';

test.each([
  ['Port it', 'Port it (fork)'],
  ['Port it (fork)', 'Port it (fork 2)'],
  ['Port it (fork 9)', 'Port it (fork 10)'],
  ['(fork)', '(fork) (fork)'],
  ['two\nlines', 'two\nlines (fork)'],
  ['x'.repeat(512), `${'x'.repeat(505)} (fork)`],
  [`${'x'.repeat(505)} (fork)`, `${'x'.repeat(503)} (fork 2)`],
  [`${'x'.repeat(504)}👍 and more`, `${'x'.repeat(504)} (fork)`],
  ['', ''],
])('[SESS-12] a copy of %j is called %j', (title, copy) => {
  expect(forkTitle(title)).toBe(copy);
});
