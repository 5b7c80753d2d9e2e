import { expect, test } from 'vitest';
import type { ProcessRoot } from './port-scanner.ts';
import type { ProcessEntry } from './process-table.ts';
import { SessionProcesses, sessionsIn } from './session-processes.ts';

const entry = (pid: number, parent: number, session = parent, start = '1'): ProcessEntry => ({
  pid,
  parent,
  session,
  start,
});
const TERMINAL: ProcessRoot = { pid: 10, kind: 'terminal', sessions: ['a'] };
const AGENT: ProcessRoot = { pid: 20, kind: 'agent', sessions: ['a', 'b'] };

const pidsOf = (found: ReturnType<SessionProcesses['find']>): number[] =>
  found.map(({ entry: { pid } }) => pid).toSorted((one, two) => one - two);

test('a terminal has its descendants, and the processes in its session that have lost their parent', () => {
  const table = [
    entry(1, 0),
    entry(10, 1, 10),
    entry(11, 10, 10),
    entry(12, 11, 12),
    entry(13, 1, 10),
    entry(99, 1),
  ];
  expect(pidsOf(new SessionProcesses().find(table, [TERMINAL]))).toEqual([10, 11, 12, 13]);
});

test('an agent has its descendants without itself', () => {
  const table = [entry(20, 1), entry(21, 20), entry(22, 21)];
  expect(pidsOf(new SessionProcesses().find(table, [AGENT]))).toEqual([21, 22]);
});

test('a process that left its session of processes stays when its parent ends, until it ends itself', () => {
  const processes = new SessionProcesses();
  processes.find([entry(10, 1, 10), entry(11, 10, 11)], [TERMINAL]);
  expect(pidsOf(processes.find([entry(10, 1, 10), entry(11, 1, 11)], [TERMINAL]))).toEqual([10, 11]);
  expect(pidsOf(processes.find([entry(11, 1, 11)], []))).toEqual([11]);
  // Another process got the id.
  expect(pidsOf(processes.find([entry(11, 1, 11, '2')], []))).toEqual([]);
});

test('a process that a shell of an agent left behind is known by the mark of the agent', () => {
  const table = [entry(1, 0), entry(20, 1), entry(30, 1, 29), entry(31, 30, 29), entry(40, 1)];
  const marks = new Map([
    [20, 'x'],
    [30, 'x'],
    [40, 'y'],
  ]);
  expect(pidsOf(new SessionProcesses().find(table, [AGENT], marks))).toEqual([30, 31]);
  expect(pidsOf(new SessionProcesses().find(table, [{ ...AGENT, kind: 'terminal' }], marks))).toEqual([20]);
  expect(pidsOf(new SessionProcesses().find(table, [AGENT]))).toEqual([]);
});

test.each([
  ['/srv/a/src', ['a']],
  ['/srv/b', ['b']],
  ['/srv/bc', ['a', 'b', 'c']],
  ['/srv/c/deep/er', ['c']],
  [undefined, ['a', 'b', 'c']],
])('a process of a shared agent in %s belongs to %j', (folder, sessions) => {
  const folders: Record<string, string[]> = {
    a: ['/srv/a'],
    b: ['/srv/b', '/srv/c'],
    c: ['/srv/c/deep'],
  };
  const root: ProcessRoot = { ...AGENT, sessions: ['a', 'b', 'c'] };
  const foldersOf = (session: string): string[] => folders[session] ?? [];
  expect(sessionsIn(folder, root, foldersOf)).toEqual(sessions);
  const strict = sessionsIn(folder, { ...root, isByFolder: true }, foldersOf);
  expect(strict).toEqual(sessions.length === 3 ? [] : sessions);
});
