import { describe, expect, it } from 'vitest';
import { inOrder, movedBy, movedTo, placeAt } from './queue-order.ts';

const ids = ['a', 'b', 'c'];

describe('[CHAT-11] the order of the queue', () => {
  it('changes when an entry moves to another place', () => {
    expect(movedTo(ids, 'a', 2)).toEqual(['b', 'c', 'a']);
    expect(movedTo(ids, 'c', 0)).toEqual(['c', 'a', 'b']);
    expect(movedTo(ids, 'b', 99)).toEqual(['a', 'c', 'b']);
  });

  it('is the same list when nothing moves', () => {
    expect(movedTo(ids, 'b', 1)).toBe(ids);
    expect(movedTo(ids, 'unknown', 0)).toBe(ids);
    expect(movedBy(ids, 'a', -1)).toBe(ids);
  });

  it('changes by one place with the keyboard', () => {
    expect(movedBy(ids, 'a', 1)).toEqual(['b', 'a', 'c']);
    expect(movedBy(ids, 'c', -1)).toEqual(['a', 'c', 'b']);
  });

  it('follows the pointer over the middles of the other entries', () => {
    expect(placeAt([10, 30, 50], 5)).toBe(0);
    expect(placeAt([10, 30, 50], 40)).toBe(2);
    expect(placeAt([10, 30, 50], 99)).toBe(3);
  });

  it('keeps entries that came while one was dragged', () => {
    const entries = [{ id: 'a' }, { id: 'b' }, { id: 'new' }];
    expect(inOrder(entries, ['b', 'gone', 'a']).map(({ id }) => id)).toEqual(['b', 'a', 'new']);
    expect(inOrder(entries, undefined)).toBe(entries);
  });
});
