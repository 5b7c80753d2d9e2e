import { expect, test } from 'vitest';
import { automationNotes } from './notes.ts';

test('[AUTO-2] the notes of a host are read from the metadata of an entry, and other shapes are left out', () => {
  const missed = { count: 3, last: '2026-06-01T03:00:00.000Z', isMadeUp: true };
  expect(automationNotes({ _meta: { missed, disabledBecause: 'afterRuns', other: 1 } })).toEqual({
    missed,
    disabledBecause: 'afterRuns',
  });
  expect(automationNotes({})).toEqual({});
  for (const odd of [null, 'yes', {}, { ...missed, count: '3' }, { ...missed, last: 5 }])
    expect(automationNotes({ _meta: { missed: odd, disabledBecause: odd } })).toEqual({});
});
