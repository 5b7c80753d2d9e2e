import { matchesGlob } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileGlob } from './globs.ts';

const isMatch = (pattern: string, path: string): boolean => compileGlob(pattern)(path.split('/'));

test.each([
  ['*.ts', 'a.ts', true],
  ['*.ts', 'src/a.ts', false],
  ['**/*.ts', 'a.ts', true],
  ['**/*.ts', 'src/deep/a.ts', true],
  ['src/**', 'src', true],
  ['src/**', 'src/a/b', true],
  ['src/**/b', 'src/b', true],
  ['**/node_modules/**', 'a/node_modules/b/c', true],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['[]]x', ']x', true],
  ['[x', '[x', true],
  ['*.{ts,tsx}', 'a.tsx', true],
  ['{a,b/{c,d}}/e', 'b/d/e', true],
  ['{a,b}/e', 'c/e', false],
  ['a{', 'a{', true],
  ['\\*', '*', true],
  ['\\*', 'a', false],
  ['*', '.hidden', true],
  ['./a//b', 'a/b', true],
  ['a**b', 'axxb', true],
  ['😀?', '😀😀', true],
])('%s and %s: %s', (pattern, path, expected) => {
  expect(isMatch(pattern, path)).toBe(expected);
});

test('plain wildcards match as those of Node do', () => {
  const name = fc.stringMatching(/^[ab]{1,4}$/);
  const part = fc.stringMatching(/^[ab*?]{1,4}$/).filter((text) => !text.includes('**'));
  const pattern = fc.array(fc.oneof(part, fc.constant('**')), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(pattern, fc.array(name, { minLength: 1, maxLength: 5 }), (parts, names) => {
      // In Node, `**` at the end does not match nothing.
      fc.pre(parts.at(-1) !== '**');
      expect(isMatch(parts.join('/'), names.join('/'))).toBe(matchesGlob(names.join('/'), parts.join('/')));
    }),
  );
});

test('a hostile pattern takes no noticeable time', () => {
  const start = performance.now();
  expect(isMatch(`${'*a'.repeat(200)}b`, 'a'.repeat(5_000))).toBe(false);
  expect(isMatch(`${'**/a/'.repeat(200)}b`, Array.from({ length: 2_000 }, () => 'a').join('/'))).toBe(false);
  expect(performance.now() - start).toBeLessThan(2_000);
});

test('braces that stand for too many patterns are refused', () => {
  expect(() => compileGlob('{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}')).toThrow(RangeError);
});
