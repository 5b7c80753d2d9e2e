import { SessionStatus } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import type { BoardSession } from '../board-session.ts';
import { overviewGroups } from './overview-groups.ts';

const session = (title: string, status: number, minute: number) =>
  ({
    key: title,
    summary: { title, status, createdAt: `2026-01-01T00:0${minute}:00.000Z` },
  }) as BoardSession;

const titles = (sessions: readonly BoardSession[]): string[] => sessions.map(({ summary }) => summary.title);

test('sessions are grouped by the next step of a person, and archived ones are left out', () => {
  const groups = overviewGroups([
    session('asks now', SessionStatus.InputNeeded, 1),
    session('runs, old', SessionStatus.InProgress, 1),
    session('runs, new', SessionStatus.InProgress, 2),
    session('asks since long', SessionStatus.InputNeeded, 0),
    session('unread', SessionStatus.Idle, 0),
    session('failed', SessionStatus.Error | SessionStatus.IsRead, 0),
    session('away', SessionStatus.Idle | SessionStatus.IsArchived, 0),
  ]);
  expect(titles(groups.asks)).toEqual(['asks now', 'asks since long']);
  expect(titles(groups.running)).toEqual(['runs, new', 'runs, old']);
  expect(titles(groups.unread)).toEqual(['unread']);
  expect(titles(groups.done)).toEqual(['failed']);
});
