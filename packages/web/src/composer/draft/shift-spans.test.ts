import { describe, expect, it } from 'vitest';
import type { DraftPart } from './draft-content.ts';
import { shiftSpans } from './shift-spans.ts';

const before = 'see @a.ts and @b.ts';
const part = (id: string, start: number, end: number): DraftPart => ({
  id,
  attachment: { type: 'simple', label: id },
  span: { start, end },
});
const parts = [part('a', 4, 9), part('b', 14, 19)];
const shifted = (after: string) =>
  shiftSpans(parts, before, after, after.length).map(({ id, span }) => [
    id,
    after.slice(span?.start, span?.end),
  ]);

describe('spans of attachments', () => {
  it('stay at their words when text is added before, between and behind them', () => {
    const words = [
      ['a', '@a.ts'],
      ['b', '@b.ts'],
    ];
    expect(shifted('please see @a.ts and @b.ts')).toEqual(words);
    expect(shifted('see @a.ts, then @b.ts')).toEqual(words);
    expect(shifted('see @a.ts and @b.ts!')).toEqual(words);
    expect(shifted('@a.ts and @b.ts')).toEqual(words);
  });

  it('stay when text is added directly at their edges', () => {
    const words = [
      ['a', '@a.ts'],
      ['b', '@b.ts'],
    ];
    expect(shifted('see (@a.ts and @b.ts')).toEqual(words);
    expect(shifted('see @a.ts) and @b.ts')).toEqual(words);
  });

  it('are removed with their attachment when their words are changed or deleted', () => {
    expect(shifted('see @aa.ts and @b.ts')).toEqual([['b', '@b.ts']]);
    expect(shifted('see  and @b.ts')).toEqual([['b', '@b.ts']]);
    expect(shifted('')).toEqual([]);
  });

  it('are removed with their attachment when their word goes on', () => {
    expect(shifted('see @a.tsx and @b.ts')).toEqual([['b', '@b.ts']]);
  });

  it('stay when a letter that they begin with is typed before them', () => {
    const after = `@${before.slice(4)}`;
    const [first] = shiftSpans([part('a', 0, 5)], before.slice(4), after, 1);
    expect(first?.span).toEqual({ start: 1, end: 6 });
  });

  it('do not concern attachments without a span', () => {
    const free: DraftPart = { id: 'c', attachment: { type: 'simple', label: 'c' } };
    expect(shiftSpans([...parts, free], before, '', 0)).toEqual([free]);
  });
});
