import { expect, test } from 'vitest';
import type { FleetCell } from '../journal/postgres/fleet.ts';
import { placeSession } from './placement.ts';

const cell = (
  name: string,
  runningTurns: number,
  {
    labels = [],
    isHeld = true,
    isDraining = false,
  }: Partial<{ labels: string[]; isHeld: boolean; isDraining: boolean }> = {},
): FleetCell => ({
  name,
  epoch: 1,
  isHeld,
  holder: 'machine (process 1)',
  announcement: { url: 'http://machine:1', labels, runningTurns, isDraining },
});

const place = (cells: readonly FleetCell[], labels: string[] = [], preferred: string[] = [], random = 0) =>
  placeSession(cells, { labels, preferred }, () => random);

test('a session goes to a host that has all labels, knows the repository, or else has the fewest turns', () => {
  const cells = [
    cell('busy', 7, { labels: ['gpu', 'arm'] }),
    cell('idle', 0),
    cell('other', 0),
    cell('calm', 2, { labels: ['gpu'] }),
  ];
  expect(place(cells)).toBe('idle');
  expect(place(cells, [], [], 0.99)).toBe('other');
  expect(place(cells, ['gpu'])).toBe('calm');
  expect(place(cells, ['gpu', 'arm'])).toBe('busy');
  expect(place(cells, [], ['gone', 'busy', 'calm'])).toBe('busy');
  expect(place(cells, ['gpu'], ['idle', 'calm'])).toBe('calm');
  expect(place(cells, ['windows'])).toBeUndefined();
});

test('hosts that are down, draining or unknown to gateways get no session', () => {
  const silent: FleetCell = { ...cell('silent', 0), announcement: undefined };
  const cells = [cell('down', 0, { isHeld: false }), cell('draining', 0, { isDraining: true }), silent];
  expect(place(cells, [], ['down', 'draining', 'silent'])).toBeUndefined();
  expect(place([...cells, cell('up', 9)])).toBe('up');
});
