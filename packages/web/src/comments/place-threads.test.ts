import type { Annotation } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { findLines, placeThreads, REMOVED_LINES } from './place-threads.ts';

const uri = 'file:///w/a.ts';
const session = 'ahp-session:/one';
const lines = ['one', 'two', 'three', 'two'];

const comment = (more: Partial<Annotation>): Annotation => ({
  id: 'c',
  origin: { session },
  resource: uri,
  resolved: false,
  entries: [{ id: 'e', text: 'Why?' }],
  ...more,
});
const range = (from: number, to: number) => ({
  start: { line: from, character: 0 },
  end: { line: to, character: 0 },
});
const anchor = (quote: string) => ({ quote, linesBefore: [], linesAfter: [] });
const places = (annotation: Annotation, file = {}) => {
  const { placed, elsewhere } = placeThreads([annotation], { uri, after: lines, ...file });
  return placed.map(({ side, line }) => `${side} ${line}`).concat(elsewhere.map(() => 'elsewhere'));
};

describe('a comment in a version of a file', () => {
  it('[ANN-1] stands below the last of its lines, where the version has them', () => {
    expect(places(comment({ range: range(0, 2), 'x-anchor': anchor('one\ntwo') }))).toEqual(['after 2']);
    expect(places(comment({ range: range(3, 4), 'x-anchor': anchor('two') }))).toEqual(['after 4']);
    expect(places(comment({ range: range(9, 10), 'x-anchor': anchor('three\r') }))).toEqual(['after 3']);
  });

  it('is elsewhere when the version lacks its lines, and when it is about the whole file', () => {
    expect(places(comment({ range: range(0, 1), 'x-anchor': anchor('gone') }))).toEqual(['elsewhere']);
    expect(places(comment({}))).toEqual(['elsewhere']);
    expect(places(comment({ range: range(0, 1) }), { after: undefined })).toEqual(['elsewhere']);
  });

  it('[ANN-20] of a turn has the numbers of that version alone', () => {
    const ofTurn = comment({ range: range(1, 2), origin: { session, turnId: 't' } });
    expect(places(ofTurn, { turnId: 't' })).toEqual(['after 2']);
    expect(places(ofTurn)).toEqual(['elsewhere']);
  });

  it('on removed lines stands in the version before', () => {
    const removed = comment({ _meta: { [REMOVED_LINES]: { line: 2, quote: 'two' } } });
    expect(places(removed, { before: lines, after: ['one'] })).toEqual(['before 2']);
    expect(places(removed, { before: ['x'] })).toEqual(['elsewhere']);
    expect(places(comment({ _meta: { [REMOVED_LINES]: 'x' } }))).toEqual(['elsewhere']);
  });

  it('of another file is not shown', () => {
    expect(places(comment({ resource: 'file:///w/b.ts', range: range(0, 1) }))).toEqual([]);
  });
});

it('the nearest place of lines is found', () => {
  expect(findLines(lines, ['two'], 1)).toBe(2);
  expect(findLines(lines, ['two'], 4)).toBe(4);
  expect(findLines(lines, ['two', 'x'], 1)).toBeUndefined();
});
