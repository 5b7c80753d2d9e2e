import { expect, it } from 'vitest';
import { folderRows, type ReadFolder } from './folder-rows.ts';
import { readIgnoreRules } from './git-ignore.ts';

const root = 'file:///w';
const folder = (uri: string, names: readonly string[], rules?: string): readonly [string, ReadFolder] => [
  uri,
  {
    state: 'read',
    rules: rules === undefined ? undefined : readIgnoreRules(rules),
    folder: {
      uri,
      hasMore: false,
      entries: names.map((name) => ({
        name: name.replace('/', ''),
        uri: `${uri}/${name.replace('/', '')}`,
        isFolder: name.endsWith('/'),
        isLink: false,
      })),
    },
  },
];
const read = new Map([
  folder(root, ['.git/', 'dist/', 'src/', '.env', 'a.log', 'b.md'], 'dist/\nsrc/*.tmp\n*.log\n'),
  folder(`${root}/src`, ['x.tmp', 'keep.log', 'y.ts'], '!keep.log\n'),
]);
const rowsOf = (shown: 'none' | 'hidden' | 'ignored' | 'all', open: string[] = []) =>
  folderRows(root, {
    read,
    open: new Set(open),
    isHiddenShown: shown === 'all' || shown === 'hidden',
    isIgnoredShown: shown === 'all' || shown === 'ignored',
  }).map((row) =>
    row.kind === 'note' ? String(row.note) : `${row.depth} ${row.name}${row.isIgnored ? ' ignored' : ''}`,
  );

it('hides hidden and ignored entries, by the rules of all folders above', () => {
  expect(rowsOf('none', [`${root}/src`])).toEqual(['0 src', '1 keep.log', '1 y.ts', '0 b.md']);
});

it('shows all entries when asked, and folders that are being read', () => {
  expect(rowsOf('all', [`${root}/dist`])).toEqual([
    '0 .git ignored',
    '0 dist ignored',
    'reading',
    '0 src',
    '0 .env',
    '0 a.log ignored',
    '0 b.md',
  ]);
});

it('shows hidden entries without ignored ones, and the other way round', () => {
  expect(rowsOf('hidden')).toEqual(['0 src', '0 .env', '0 b.md']);
  expect(rowsOf('ignored')).toEqual(['0 dist ignored', '0 src', '0 a.log ignored', '0 b.md']);
});
