import { SessionStatus, type SessionSummary } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import type { HostLink } from '../live/host-link.ts';
import type { BoardSession } from './board-session.ts';
import { filterSessions } from './filter-sessions.ts';
import { groupByNeed, groupByProject, rowsOf } from './group-sessions.ts';
import { needOf, signOf } from './session-need.ts';

const { Idle, Error: Failed, InProgress, InputNeeded, IsRead, IsArchived } = SessionStatus;

const session = (id: string, summary: Partial<SessionSummary> = {}, agentName = 'Demo'): BoardSession => ({
  key: id,
  link: {} as HostLink,
  agentName,
  summary: {
    resource: `ahp-session:/${id}`,
    provider: 'demo',
    title: `Session ${id}`,
    status: Idle | IsRead,
    createdAt: '2026-01-01T00:00:00.000Z',
    modifiedAt: '2026-01-01T00:00:00.000Z',
    ...summary,
  },
});

const keys = (sessions: readonly BoardSession[]) => sessions.map(({ key }) => key);

describe('the need of a session', () => {
  it('needs an answer when its status says so, or when it lists a question', () => {
    expect(needOf({ status: InputNeeded })).toBe('asks');
    expect(needOf({ status: InProgress, 'x-asks': { count: 1 } })).toBe('asks');
    expect(needOf({ status: InProgress, 'x-asks': { count: 0 } })).toBe('running');
  });

  it('is unread until somebody has read it, then done', () => {
    expect(needOf({ status: Idle })).toBe('unread');
    expect(needOf({ status: Idle | IsRead })).toBe('done');
  });

  it('stays archived in every state', () => {
    expect(needOf({ status: InputNeeded | IsArchived })).toBe('archived');
  });

  it('shows a failure by its sign, in the group unread or done', () => {
    expect([needOf({ status: Failed }), signOf({ status: Failed })]).toEqual(['unread', 'failed']);
    expect(signOf({ status: Failed | IsRead })).toBe('failed');
  });
});

describe('groups', () => {
  it('puts the most urgent need first and leaves out empty groups', () => {
    const groups = groupByNeed([
      session('done'),
      session('run', { status: InProgress }),
      session('ask', { status: InputNeeded }),
    ]);
    expect(groups.map(({ need, sessions }) => [need, keys(sessions)])).toEqual([
      ['asks', ['ask']],
      ['running', ['run']],
      ['done', ['done']],
    ]);
  });

  it('orders running sessions by creation, so that they do not jump', () => {
    const [running] = groupByNeed([
      session('old', { status: InProgress, createdAt: '2026-01-01T00:00:00.000Z' }),
      session('new', { status: InProgress, createdAt: '2026-01-02T00:00:00.000Z' }),
    ]);
    expect(keys(running?.sessions ?? [])).toEqual(['new', 'old']);
  });

  it('groups by project in order of names, sessions without one last', () => {
    const groups = groupByProject([
      session('none'),
      session('b', { project: { uri: 'file:///b', displayName: 'b' } }),
      session('a', { workingDirectories: ['file:///x/a'] }),
    ]);
    expect(groups.map(({ project }) => project)).toEqual(['a', 'b', '']);
  });

  it('leaves out the sessions of a closed group, not its heading', () => {
    const groups = groupByNeed([session('a'), session('b', { status: InProgress })]);
    expect(rowsOf(groups, new Set(['need running'])).map(({ key }) => key)).toEqual([
      'need running',
      'need done',
      'a',
    ]);
  });
});

describe('filters', () => {
  const all = [
    session('1', { title: 'Fix the login page', workingDirectories: ['file:///src/shop%20one'] }),
    session('2', { title: 'Archived login', status: Idle | IsArchived }),
    session('3', { title: 'Other', provider: 'codex', status: InProgress }, 'Codex CLI'),
  ];

  it('finds all words in title, folder and agent, without regard to case', () => {
    expect(keys(filterSessions(all, { query: 'LOGIN shop' }))).toEqual(['1']);
    expect(keys(filterSessions(all, { query: 'shop one' }))).toEqual(['1']);
    expect(keys(filterSessions(all, { query: 'cli' }))).toEqual(['3']);
  });

  it('hides archived sessions unless they are asked for', () => {
    expect(keys(filterSessions(all, {}))).toEqual(['1', '3']);
    expect(keys(filterSessions(all, { showsArchived: true }))).toEqual(['1', '2', '3']);
    expect(keys(filterSessions(all, { need: 'archived' }))).toEqual(['2']);
  });

  it('filters by agent, project and need', () => {
    expect(keys(filterSessions(all, { provider: 'codex' }))).toEqual(['3']);
    expect(keys(filterSessions(all, { project: 'file:///src/shop%20one' }))).toEqual(['1']);
    expect(keys(filterSessions(all, { need: 'running' }))).toEqual(['3']);
  });
});
