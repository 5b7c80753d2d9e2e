import { expect, test } from 'vitest';
import type { FleetCell } from '../journal/postgres/fleet.ts';
import { listedHosts } from './lists.ts';
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

test('hosts that are down, draining or not to be reached by this gateway get no session, and the list says so', () => {
  const silent: FleetCell = { ...cell('silent', 0), announcement: undefined };
  const idle = { labels: [], runningTurns: 0, isDraining: false };
  const local: FleetCell = { ...cell('local', 0), announcement: { url: 'http://127.0.0.1:1', ...idle } };
  const cells = [
    cell('down', 0, { isHeld: false }),
    cell('draining', 0, { isDraining: true }),
    cell('no/path', 0),
    silent,
    local,
  ];
  expect(place(cells, [], ['down', 'draining', 'silent', 'local', 'no/path'])).toBeUndefined();
  expect(listedHosts(cells, { of: () => undefined }).map(({ host, state }) => [host, state])).toEqual([
    ['down', 'down'],
    ['draining', 'draining'],
    ['silent', 'down'],
    ['local', 'down'],
  ]);
  expect(place([...cells, cell('up', 9)])).toBe('up');
});
