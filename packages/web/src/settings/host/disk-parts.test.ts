import { expect, it } from 'vitest';
import { diskParts } from './disk-parts.ts';

it('divides the database into contents, records and reusable space, without empty parts', () => {
  expect(diskParts({ databaseBytes: 100, contentBytes: 30, reusableBytes: 20, logBytes: 5 })).toEqual([
    { name: 'contents', bytes: 30 },
    { name: 'records', bytes: 50 },
    { name: 'reusable', bytes: 20 },
    { name: 'log', bytes: 5 },
  ]);
  expect(diskParts({ databaseBytes: 10, contentBytes: 0, reusableBytes: 0 })).toEqual([
    { name: 'records', bytes: 10 },
  ]);
});
