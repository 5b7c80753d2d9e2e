import { describe, expect, it } from 'vitest';
import { readIgnoreRules } from './git-ignore.ts';

describe('the rules of a .gitignore file', () => {
  const ignores = (content: string, path: string, isFolder = false): boolean | undefined =>
    readIgnoreRules(content)(path, isFolder);

  it('match names at any depth, and paths from the folder of the file', () => {
    expect(ignores('*.log', 'a/b/x.log')).toBe(true);
    expect(ignores('*.log', 'x.logs')).toBeUndefined();
    expect(ignores('/build', 'build', true)).toBe(true);
    expect(ignores('/build', 'a/build', true)).toBeUndefined();
    expect(ignores('a/*.txt', 'a/x.txt')).toBe(true);
    expect(ignores('a/*.txt', 'a/b/x.txt')).toBeUndefined();
  });

  it('match folders alone when they end with a slash', () => {
    expect(ignores('dist/', 'dist', true)).toBe(true);
    expect(ignores('dist/', 'dist')).toBeUndefined();
  });

  it('know two asterisks, classes and escapes', () => {
    expect(ignores('**/cache', 'a/b/cache', true)).toBe(true);
    expect(ignores('a/**/z', 'a/z')).toBe(true);
    expect(ignores('a/**', 'a/b/c')).toBe(true);
    expect(ignores('[ab].txt', 'b.txt')).toBe(true);
    expect(ignores('[!ab].txt', 'b.txt')).toBeUndefined();
    expect(ignores(String.raw`\#x`, '#x')).toBe(true);
    expect(ignores('a.b', 'axb')).toBeUndefined();
  });

  it('are taken back by a later rule, and leave out comments and empty lines', () => {
    expect(ignores('*.log\n!keep.log\n', 'keep.log')).toBe(false);
    expect(ignores('# x\n\n', 'x')).toBeUndefined();
  });
});
