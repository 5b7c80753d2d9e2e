import { describe, expect, it } from 'vitest';
import { compareLines } from '../../chat/diff/compare-lines.ts';
import { sectionsOf } from '../../chat/diff/diff-model.ts';
import {
  type DiffRow,
  diffRows,
  lineKey,
  selectableLines,
  withLineShown,
  withLinesShown,
} from './diff-rows.ts';

const numbers = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`);
const before = `${numbers.join('\n')}\n`;
const after = before
  .replace('line 2\n', 'line two\n')
  .replace('line 30\n', '')
  .replace('line 40\n', 'line 40\nnew\n');
const sections = sectionsOf(compareLines(before, after, { timeoutMs: 1_000 }) ?? []);
const none = { opened: new Map(), below: new Set<string>() };
const short = (row: DiffRow): string =>
  row.kind === 'fold'
    ? `fold ${row.count}`
    : row.kind === 'below'
      ? `below ${row.side} ${row.line}`
      : `${row.before?.oldNumber ?? ''}:${row.after?.newNumber ?? ''}`;

describe('the rows of a diff', () => {
  it('have the hunks with their lines on both sides', () => {
    const { hunks } = diffRows(sections, { layout: 'unified', ...none });
    expect(hunks.map(({ before: old, after: now }) => [old?.from, old?.to, now?.from, now?.to])).toEqual([
      [2, 2, 2, 2],
      [30, 30, undefined, undefined],
      [undefined, undefined, 40, 40],
    ]);
  });

  it('have unique keys in both layouts', () => {
    for (const layout of ['unified', 'split'] as const) {
      const keys = diffRows(sections, { layout, ...none }).rows.map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it('show as many lines of a fold as were asked for', () => {
    const folded = diffRows(sections, { layout: 'unified', ...none }).rows.filter(
      ({ kind }) => kind === 'fold',
    );
    expect(folded.map(short)).toEqual(['fold 21', 'fold 4', 'fold 7']);
    const fold = folded[0]?.kind === 'fold' ? folded[0].fold : '';
    const opened = new Map([[fold, { top: 5, bottom: 2 }]]);
    const { rows } = diffRows(sections, { ...none, layout: 'unified', opened });
    expect(rows.filter(({ kind }) => kind === 'fold').map(short)).toEqual(['fold 14', 'fold 4', 'fold 7']);
    const all = diffRows(sections, {
      ...none,
      layout: 'unified',
      opened: new Map([[fold, { top: 21, bottom: 20 }]]),
    });
    expect(all.rows.filter(({ kind }) => kind === 'fold').map(short)).toEqual(['fold 4', 'fold 7']);
  });

  it('have room below lines with comments, once', () => {
    const below = new Set([lineKey('before', 2), lineKey('after', 3), lineKey('before', 3)]);
    for (const layout of ['unified', 'split'] as const) {
      const { rows } = diffRows(sections, { ...none, layout, below });
      expect(rows.filter(({ kind }) => kind === 'below').map(short)).toEqual([
        'below before 2',
        'below after 3',
      ]);
    }
  });

  it('open the fold that hides a line', () => {
    const opened = withLineShown(sections, new Map(), { side: 'after', line: 20 });
    const { rows } = diffRows(sections, { ...none, layout: 'unified', opened });
    expect(rows.map(short)).toContain('20:20');
    expect(withLineShown(sections, opened, { side: 'after', line: 20 })).toBe(opened);
  });

  it('are not folded where a line has comments', () => {
    const below = new Set([lineKey('after', 20), lineKey('after', 48)]);
    const opened = withLinesShown(sections, new Map(), below);
    const shown = diffRows(sections, { layout: 'unified', opened, below }).rows.map(short);
    expect(shown).toContain('below after 20');
    expect(shown).toContain('below after 48');
  });

  it('have lines to select: those after, removed ones, and in a split diff those of one side', () => {
    const { rows } = diffRows(sections, { ...none, layout: 'unified' });
    const both = selectableLines(rows, 'both').map(({ side, number }) => `${side} ${number}`);
    expect(both.slice(0, 4)).toEqual(['after 1', 'before 2', 'after 2', 'after 3']);
    const split = diffRows(sections, { ...none, layout: 'split' }).rows;
    expect(selectableLines(split, 'before').some(({ number }) => number === 30)).toBe(true);
    expect(selectableLines(split, 'after').every(({ side }) => side === 'after')).toBe(true);
  });
});
