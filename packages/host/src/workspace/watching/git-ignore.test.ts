import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { GitIgnore } from './git-ignore.ts';

function repository(files: Record<string, string>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agenthost-ignore-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  execFileSync('git', ['init', '-q', root]);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** The paths that git ignores. */
function ignoredByGit(root: string, paths: readonly string[]): string[] {
  try {
    return execFileSync('git', ['-C', root, 'check-ignore', '--no-index', ...paths], { encoding: 'utf8' })
      .trim()
      .split('\n');
  } catch {
    return [];
  }
}

test('the same files are ignored as by git', () => {
  const root = repository({
    '.gitignore':
      '# comment\n*.log\n!keep.log\n/build/\ndist/**\nfoo/bar\n\\#x\n\\!y\ntrailing \\ \nsub/*\n!sub/seen\n**/deep\n{a,b}\n',
    'inner/.gitignore': '!special.log\nlocal\n',
    'outer/build/x': '',
  });
  const paths = [
    'a.log',
    'keep.log',
    'inner/a.log',
    'inner/special.log',
    'inner/local',
    'local',
    'build/x',
    'outer/build/x',
    'dist/x/y',
    'dist',
    'foo/bar',
    'foo/bar/x',
    'a/foo/bar',
    '#x',
    '!y',
    'trailing  ',
    'sub/seen',
    'sub/other',
    'x/deep',
    'x/y/deep/z',
    '{a,b}',
    'a',
    'plain',
  ];
  const rules = new GitIgnore(root);
  const byGit = ignoredByGit(root, paths);
  expect(byGit.length).toBeGreaterThan(10);
  expect(paths.filter((path) => rules.ignores(join(root, path), false))).toEqual(
    byGit.map((path) => (path.startsWith('"') ? JSON.parse(path) : path)),
  );
});

test('rules above the root of a watch count, and are read again after a reset', () => {
  const root = repository({ '.gitignore': 'secret\n', 'src/a': '' });
  const rules = new GitIgnore(join(root, 'src'));
  const path = join(root, 'src', 'secret');
  expect(rules.ignores(path, false)).toBe(true);
  writeFileSync(join(root, '.gitignore'), '');
  expect(rules.ignores(path, false)).toBe(true);
  rules.reset();
  expect(rules.ignores(path, false)).toBe(false);
});

test('a folder or a fifo in place of the file is no file', () => {
  const root = repository({ '.gitignore/x': '' });
  execFileSync('mkfifo', [join(root, 'fifo')]);
  mkdirSync(join(root, 'a'));
  execFileSync('mkfifo', [join(root, 'a', '.gitignore')]);
  const rules = new GitIgnore(root);
  expect(rules.ignores(join(root, 'a', 'b'), false)).toBe(false);
});
