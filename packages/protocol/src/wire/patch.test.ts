import { describe, expect, it } from 'vitest';
import { indexOfId, patch, sameJson, withItem, withoutItem } from './patch.ts';

describe('sameJson', () => {
  it.each([
    [{ a: 1 }, { a: 1, b: undefined }],
    [{ a: undefined }, {}],
    [[{ a: [1, 'x', null] }], [{ a: [1, 'x', null] }]],
    [null, null],
  ])('%j and %j say the same', (a, b) => {
    expect(sameJson(a, b)).toBe(true);
    expect(sameJson(b, a)).toBe(true);
  });

  it.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: null }, {}],
    [[], {}],
    [[1], [1, 2]],
    [
      [1, 2],
      [2, 1],
    ],
    [{}, null],
    [1, '1'],
    [{}, JSON.parse('{"__proto__":{}}')],
    [{}, { constructor: 1 }],
  ])('%j and %j differ', (a, b) => {
    expect(sameJson(a, b)).toBe(false);
    expect(sameJson(b, a)).toBe(false);
  });
});

describe('patch', () => {
  interface State {
    title: string;
    tags?: string[];
  }
  const state: State = Object.freeze({ title: 'a', tags: ['x'] });

  it('copies, sets and removes', () => {
    expect(patch(state, { title: 'b', tags: undefined })).toStrictEqual({ title: 'b' });
  });

  it('gives the state itself when nothing differs', () => {
    expect(patch(state, { title: 'a', tags: ['x'] })).toBe(state);
    const bare: State = { title: 'a' };
    expect(patch(bare, { tags: undefined })).toBe(bare);
  });

  it('never leaves a member that is undefined', () => {
    const bare: State = { title: 'a' };
    expect(Object.keys(patch(bare, { title: 'b', tags: undefined }))).toStrictEqual(['title']);
  });
});

describe('lists', () => {
  const list = Object.freeze([{ id: 'a' }, { id: 'b' }, { id: 'a', last: true }]);

  it('are searched by id from the end', () => {
    expect(indexOfId([...list], 'a')).toBe(2);
    expect(indexOfId([...list], 'z')).toBe(-1);
    expect(indexOfId(undefined, 'a')).toBe(-1);
  });

  it('are replaced in, appended to and removed from by copy', () => {
    expect(withItem(list, 1, { id: 'c' })).toStrictEqual([{ id: 'a' }, { id: 'c' }, { id: 'a', last: true }]);
    expect(withItem(list, -1, { id: 'c' })).toHaveLength(4);
    expect(withoutItem(list, 0)).toStrictEqual([{ id: 'b' }, { id: 'a', last: true }]);
  });
});
