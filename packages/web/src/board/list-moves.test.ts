import { expect, it } from 'vitest';
import { moveTo } from './list-moves.ts';

it('moves by one row and stops at both ends', () => {
  expect(moveTo('ArrowDown', 0, 3)).toBe(1);
  expect(moveTo('j', 2, 3)).toBe(2);
  expect(moveTo('k', 1, 3)).toBe(0);
  expect(moveTo('ArrowUp', 0, 3)).toBe(0);
});

it('moves by pages and to the ends', () => {
  expect(moveTo('PageDown', 0, 100)).toBe(10);
  expect(moveTo('PageUp', 4, 100)).toBe(0);
  expect(moveTo('End', 0, 100)).toBe(99);
  expect(moveTo('Home', 50, 100)).toBe(0);
});

it('leaves other keys alone', () => {
  expect(moveTo('e', 0, 3)).toBeUndefined();
});
