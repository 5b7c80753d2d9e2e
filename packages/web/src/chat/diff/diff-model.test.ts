import { describe, expect, it } from 'vitest';
import { compareLines, linesOf } from './compare-lines.ts';
import { lacksFinalNewline, lineEndingOf, sectionsOf, splitRows } from './diff-model.ts';

const sections = (before: string, after: string) =>
  sectionsOf(compareLines(before, after, { timeoutMs: 1_000 }) ?? []);
const numbers = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('a diff', () => {
  it('numbers lines on both sides', () => {
    const [section] = sections('a\nb\nc\n', 'a\nX\nc\n');
    expect(section?.lines.map(({ kind, oldNumber, newNumber }) => [kind, oldNumber, newNumber])).toEqual([
      ['same', 1, 1],
      ['removed', 2, undefined],
      ['added', undefined, 2],
      ['same', 3, 3],
    ]);
  });

  it('folds unchanged lines far from changes', () => {
    const found = sections(numbers(40), numbers(40).replace('line 20\n', 'changed\n'));
    expect(found.map(({ kind, lines }) => [kind, lines.length])).toEqual([
      ['fold', 16],
      ['lines', 8],
      ['fold', 17],
    ]);
  });

  it('does not fold a few lines', () => {
    expect(sections('a\nb\nc\nd\ne\nf\n', 'a\nb\nc\nd\ne\nX\n')).toHaveLength(1);
  });

  it('marks the words that changed, and no word of lines with nothing in common', () => {
    const [section] = sections('const value = 1;\n', 'const value = 2;\n');
    expect(section?.lines[1]?.marks).toEqual([{ start: 14, end: 15 }]);
    const [other] = sections('abc\n', 'xyz\n');
    expect(other?.lines.every(({ marks }) => marks === undefined)).toBe(true);
  });

  it('puts removed lines beside added ones', () => {
    const [section] = sections('a\nb\n', 'X\n');
    const rows = splitRows(section?.lines ?? []);
    expect(rows.map((row) => [row.old?.text, row.new?.text])).toEqual([
      ['a', 'X'],
      ['b', undefined],
    ]);
  });

  it('compares lines without their ends', () => {
    expect(sections('a\r\nb\r\n', 'a\nb\n').flatMap(({ lines }) => lines.map(({ kind }) => kind))).toEqual([
      'same',
      'same',
    ]);
    expect(linesOf('')).toEqual([]);
    expect(linesOf('a\n')).toEqual(['a']);
  });

  it('can ignore white space', () => {
    const kinds = (ignoresWhitespace: boolean) =>
      compareLines('  a\nb\n', 'a \nb\nc\n', { timeoutMs: 1_000, ignoresWhitespace })?.map(
        ({ kind }) => kind,
      );
    expect(kinds(true)).toEqual(['same', 'added']);
    expect(kinds(false)).toEqual(['removed', 'added', 'same', 'added']);
  });

  it('knows line ends and a missing last one', () => {
    expect(lineEndingOf('a\r\nb\r\n')).toBe('CRLF');
    expect(lineEndingOf('a\nb')).toBe('LF');
    expect(lineEndingOf('a\r\nb\n')).toBe('LF + CRLF');
    expect(lacksFinalNewline('a')).toBe(true);
    expect(lacksFinalNewline('')).toBe(false);
  });
});
