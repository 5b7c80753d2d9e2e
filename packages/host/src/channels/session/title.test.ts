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
  ['x'.repeat(80), `${'x'.repeat(59)}…`],
])('[SESS-11] of %j the title is %j', (text, title) => {
  expect(titleFrom(text)).toBe(title);
});

it('[SESS-11] a title is never cut inside a character', () => {
  const title = titleFrom('🌱'.repeat(100));
  expect([...title]).toHaveLength(60);
  expect(title).not.toMatch(/\p{Surrogate}/u);
});
