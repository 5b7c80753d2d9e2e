import { expect, it } from 'vitest';
import { titleFrom } from './title.ts';

it.each([
  ['Fix the build', 'Fix the build'],
  ['\n\n  Fix   the\tbuild  \nand more', 'Fix the build'],
  ['', ''],
  [' \n\t\u200b\n', ''],
  ['Fix\u0007 the\u202e build', 'Fix the build'],
  [
    'Please look at the long list of things that fail since yesterday evening and fix them',
    'Please look at the long list of things that fail since…',
  ],
  ['say flour \u001b[2J evil', 'say flour evil'],
  ['\u001b[31mred\u001b[0m and \u009b1mbold', 'red and bold'],
  ['\u001b]0;owned\u0007say \u001b]8;;https://x.test\u001b\\link\u001b]8;;\u001b\\', 'say link'],
  ['say \u001b(B\u001b7one \u001b[38;5;1', 'say one'],
  ['\u001b]0;without an end\nsay two', 'say two'],
  ['x'.repeat(80), `${'x'.repeat(59)}…`],
])('[SESS-11] of %j the title is %j', (text, title) => {
  expect(titleFrom(text)).toBe(title);
});

it('[SESS-11] a title is never cut inside a character', () => {
  const title = titleFrom('🌱'.repeat(100));
  expect([...title]).toHaveLength(60);
  expect(title).not.toMatch(/\p{Surrogate}/u);
});
