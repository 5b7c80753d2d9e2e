import type { ChangesetLeftOutFile } from '@agenthost/protocol';
import { expect, it } from 'vitest';
import { leftOutLine } from './left-out-line.ts';

const folders = ['file:///w'];
const large = (name: string): ChangesetLeftOutFile => ({ uri: `file:///w/${name}`, reason: 'large' });

it('[CS-3] files that changes leave out are named with the reason', () => {
  const files = [
    large('film.mp4'),
    { uri: 'file:///w/vendor/x', reason: 'repository' },
    { uri: 'file:///other/log', reason: 'ignored' },
  ];
  expect(leftOutLine({ count: 3, files }, folders)).toBe(
    'left out: film.mp4 (over 10 MB), vendor/x (a repository), /other/log (ignored by git)',
  );
});

it('[CS-3] of many left-out files five are named and all are counted', () => {
  const files = Array.from({ length: 7 }, (_, index) => large(String(index)));
  expect(leftOutLine({ count: 60, files }, folders)).toMatch(/, 4 \(over 10 MB\), …and 55 more$/);
});

it('[CS-3] nothing is said when nothing is left out, and a name or a new reason cannot write more lines', () => {
  expect(leftOutLine(undefined, folders)).toBeUndefined();
  expect(leftOutLine({ count: 0, files: [] }, folders)).toBeUndefined();
  expect(leftOutLine({ count: 2, files: [] }, folders)).toBe('left out: 2 files');
  const hostile = leftOutLine(
    { count: 1, files: [{ uri: 'file:///w/a%0Ab%1B[2J', reason: 'x\ny' }] },
    folders,
  );
  expect(hostile).toMatch(/^left out: a.*\(x.y\)$/);
  expect(hostile).not.toMatch(/[\n\u001B]/);
});
