import { describe, expect, it } from 'vitest';
import { indexOfId, patch, withItem, withoutItem } from './patch.ts';

describe('patch', () => {
  interface State {
    title: string;
    tags?: string[];
  }
  const state: State = Object.freeze({ title: 'a', tags: ['x'] });

  it('copies, sets and removes', () => {
    expect(patch(state, { title: 'b', tags: undefined })).toStrictEqual({ title: 'b' });
  });

  it('returns the same object when nothing differs', () => {
    expect(patch(state, { title: 'a', tags: ['x'] })).toBe(state);
    const bare: State = { title: 'a' };
    expect(patch(bare, { tags: undefined })).toBe(bare);
  });

  it('leaves no member undefined', () => {
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

  it('are copied for a replacement, an append and a removal', () => {
    expect(withItem(list, 1, { id: 'c' })).toStrictEqual([{ id: 'a' }, { id: 'c' }, { id: 'a', last: true }]);
    expect(withItem(list, -1, { id: 'c' })).toHaveLength(4);
    expect(withoutItem(list, 0)).toStrictEqual([{ id: 'b' }, { id: 'a', last: true }]);
  });
});
