import type { ChangesetFile } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { changedFile } from './file-status.ts';
import { filesInOrder, matchingFiles, treeRows } from './file-tree.ts';

const root = 'file:///w';
const version = (path: string) => ({ uri: `${root}/${path}`, content: { uri: `x:/${path}` } });
const file = (path: string, more: Partial<ChangesetFile> = {}) =>
  changedFile(
    {
      id: `${root}/${path}`,
      edit: { before: version(path), after: version(path), diff: { added: 1 } },
      ...more,
    },
    root,
  );

describe('the tree of changed files', () => {
  const files = ['src/deep/only/a.ts', 'b.md', 'src/z.ts', 'a.md'].map((path) => file(path));

  it('has folders first, and folders with one entry in one row', () => {
    expect(
      treeRows(files, new Set()).map((row) =>
        row.kind === 'folder' ? `${row.depth} ${row.name}/ ${row.fileCount}` : `${row.depth} ${row.name}`,
      ),
    ).toEqual(['0 src/ 2', '1 deep/only/ 1', '2 a.ts', '1 z.ts', '0 a.md', '0 b.md']);
  });

  it('hides what is in closed folders, but the order of files has them', () => {
    const rows = treeRows(files, new Set(['src']));
    expect(rows.map(({ kind }) => kind)).toEqual(['folder', 'file', 'file']);
    expect(filesInOrder(files).map(({ path }) => path)).toEqual([
      'src/deep/only/a.ts',
      'src/z.ts',
      'a.md',
      'b.md',
    ]);
  });

  it('is filtered by words in any order', () => {
    expect(matchingFiles(files, 'TS deep').map(({ path }) => path)).toEqual(['src/deep/only/a.ts']);
    expect(matchingFiles(files, ' ')).toHaveLength(4);
  });
});

describe('the facts of a changed file', () => {
  it('tell what happened', () => {
    const { before, after } = { before: version('a'), after: version('b') };
    expect(changedFile({ id: 'x', edit: { after } }, root)).toMatchObject({
      status: 'added',
      path: 'b',
      isBinary: true,
    });
    expect(changedFile({ id: 'x', edit: { before } }, root)).toMatchObject({ status: 'deleted', path: 'a' });
    expect(changedFile({ id: 'x', edit: { before, after } }, root)).toMatchObject({
      status: 'renamed',
      path: 'b',
      from: 'a',
    });
  });

  it('read the extensions of the host, and nothing of a wrong type', () => {
    const _meta = { modes: { before: '100644', after: '100755' }, isShared: true, staged: 'part' };
    expect(file('a', { _meta })).toMatchObject({ modes: _meta.modes, isShared: true, staged: 'part' });
    expect(file('a', { _meta: { modes: 'x', isShared: 1, staged: 'some' } })).toMatchObject({
      modes: undefined,
      isShared: false,
      staged: undefined,
    });
  });

  it('have the whole path outside of the working directory', () => {
    expect(changedFile({ id: 'file:///other/a%20b', edit: {} }, root).path).toBe('/other/a b');
    expect(changedFile({ id: 'file:///wide/a', edit: {} }, root).path).toBe('/wide/a');
  });
});
