import { SessionStatus, type SessionSummary } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { lineCells } from '../text/wrap.ts';
import { sessionRow, shownSessions } from './session-list.ts';

const session = (id: string, more: Partial<SessionSummary> = {}): SessionSummary => ({
  resource: `ahp-session:/${id}`,
  provider: 'demo',
  title: `Title of ${id}`,
  status: SessionStatus.Idle | SessionStatus.IsRead,
  createdAt: '2026-01-01T00:00:00.000Z',
  modifiedAt: `2026-01-0${id.length}T00:00:00.000Z`,
  ...more,
});
const marks = { done: '✓', failed: '✗', refused: '⊘', running: '→', asks: '?', dot: '·' };
const none = { filter: '', withArchived: false, found: new Set<string>() };
const ids = (sessions: readonly SessionSummary[]): string[] =>
  sessions.map(({ resource }) => resource.split('/')[1] ?? '');
const row = (summary: SessionSummary, width = 80): string =>
  sessionRow(summary, {
    width,
    now: Date.parse('2026-01-02T00:00:00.000Z'),
    home: '/home/u',
    marks,
    isSelected: false,
    snippet: undefined,
  })
    .map(({ text }) => text)
    .join('');

test('sessions that need input come first, then the newest; archived ones only on request', () => {
  const all = [
    session('a'),
    session('bbb'),
    session('cc', { status: SessionStatus.InputNeeded }),
    session('dddd', { status: SessionStatus.Idle | SessionStatus.IsArchived }),
  ];
  expect(ids(shownSessions(all, none))).toEqual(['cc', 'bbb', 'a']);
  expect(ids(shownSessions(all, { ...none, withArchived: true }))).toEqual(['cc', 'dddd', 'bbb', 'a']);
});

test('every word of the filter must match; sessions that the host found by their text match too', () => {
  const all = [
    session('a', { title: 'Fix the Parser' }),
    session('bb', { workingDirectories: ['file:///srv/parser'] }),
    session('ccc'),
  ];
  expect(ids(shownSessions(all, { ...none, filter: 'PARSER fix' }))).toEqual(['a']);
  expect(ids(shownSessions(all, { ...none, filter: 'parser' }))).toEqual(['bb', 'a']);
  expect(
    ids(shownSessions(all, { ...none, filter: 'nowhere', found: new Set(['ahp-session:/ccc']) })),
  ).toEqual(['ccc']);
});

test.each([
  [SessionStatus.InputNeeded, '? asks'],
  [SessionStatus.InProgress, '→ working'],
  [SessionStatus.Error, '✗ error'],
  [SessionStatus.Idle, '· unread'],
  [SessionStatus.Idle | SessionStatus.IsRead, 'idle'],
])('status %d shows as %s', (status, word) => {
  expect(row(session('a', { status }))).toContain(word);
});

test('a session whose agent failed to start, or is starting, shows that as in every list', () => {
  expect(row(session('a', { status: SessionStatus.Idle, _meta: { lifecycle: 'failed' } }))).toContain(
    '✗ failed',
  );
  expect(row(session('a', { _meta: { lifecycle: 'creating' } }))).toContain('→ starts');
});

test('a session with an idle default chat shows as working while another chat works', () => {
  expect(row(session('a', { _meta: { workingChats: 1 } }))).toContain('→ working');
});

test('a row fits its window, and contains no control sequences', () => {
  const long = session('a', {
    title: `日本語の題名 \u001b[2J${'long '.repeat(40)}`,
    workingDirectories: ['file:///home/u/some/deep/folder/of/a/project'],
  });
  for (const width of [24, 40, 80, 120]) {
    const shown = row(long, width);
    expect(lineCells([{ text: shown }])).toBeLessThanOrEqual(width);
    expect(shown).not.toContain('\u001b');
  }
});
