import { expect, test } from 'vitest';
import { homely } from './homely.ts';

test('a path outside the home folder stays as it is', () => {
  expect(homely('/home/username', '/home/user')).toBe('/home/username');
  expect(homely('/home/user', '/home/user')).toBe('~');
});
