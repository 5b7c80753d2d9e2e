import { expect, it } from 'vitest';
import { leftOutText } from './left-out.ts';

const root = 'file:///w';

it('[CS-3] files that changes leave out are named with the reason', () => {
  const files = [
    { uri: 'file:///w/film.mp4', reason: 'large' },
    { uri: 'file:///other/x', reason: 'repository' },
    { uri: 'file:///w/new', reason: 'newer' },
  ];
  expect(leftOutText({ count: 3, files }, root)).toBe(
    'Left out: film.mp4 (over 10 MB), /other/x (a repository), new (newer)',
  );
});

it('[CS-3] of many left-out files five are named and all are counted', () => {
  const files = Array.from({ length: 7 }, (_, index) => ({ uri: `file:///w/${index}`, reason: 'ignored' }));
  expect(leftOutText({ count: 60, files }, root)).toMatch(/, 4 \(ignored by git\), …and 55 more$/);
  expect(leftOutText({ count: 2, files: [] }, root)).toBe('Left out: 2 files');
  expect(leftOutText({ count: 0, files: [] }, root)).toBeUndefined();
  expect(leftOutText(undefined, root)).toBeUndefined();
});
