import { expect, test } from 'vitest';
import { ago, bytes, sessionLine, sessionWord, statusWord } from './session-line.ts';

const now = Date.parse('2026-01-02T00:00:00Z');

test.each([
  ['2026-01-01T23:59:55Z', '5 s'],
  ['2026-01-01T23:50:00Z', '10 min'],
  ['2026-01-01T12:00:00Z', '12 h'],
  ['2025-12-20T00:00:00Z', '13 d'],
  ['2026-01-02T00:10:00Z', '0 s'],
  ['nonsense', '?'],
])('%s was %s ago', (iso, text) => {
  expect(ago(iso, now)).toBe(text);
});

test.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [1_536, '1.5 KiB'],
  [5 * 1_024 ** 3, '5.0 GiB'],
])('%d bytes are %s', (count, text) => {
  expect(bytes(count)).toBe(text);
});

test.each([
  [1, 'idle'],
  [2 + 32, 'error'],
  [8 + 64, 'working'],
  [24 + 32, 'asks'],
])('status %d is %s', (status, word) => {
  expect(statusWord(status)).toBe(word);
});

test('a session is one line, whatever its title', () => {
  const line = sessionLine(
    {
      resource: 'ahp-session:/0123456789abcdef',
      provider: 'demo',
      title: 'two\nlines \u001b[31mred',
      status: 24,
      createdAt: '2026-01-01T00:00:00Z',
      modifiedAt: '2026-01-01T23:00:00Z',
      workingDirectories: ['file:///home/user/work'],
    },
    { now, home: '/home/user' },
  );
  expect(line).toBe('01234567  asks     demo         1 h  two lines red  ~/work');
});

test('a session whose agent failed to start shows as failed', () => {
  const session = {
    resource: 'ahp-session:/0123456789abcdef',
    provider: 'demo',
    title: '',
    status: 1,
    createdAt: '2026-01-01T00:00:00Z',
    modifiedAt: '2026-01-01T23:00:00Z',
  };
  const wordOf = (lifecycle: string): string =>
    sessionLine({ ...session, _meta: { lifecycle } }, { now, home: '/home/user' });
  expect(wordOf('failed')).toBe('01234567  failed   demo         1 h  (no title)');
  expect(wordOf('creating')).toContain('  starts   demo');
});

test('a title is cut so that the line with its folder fits into the window', () => {
  const session = {
    resource: 'ahp-session:/0123456789abcdef',
    provider: 'demo',
    title: '長い題名'.repeat(10),
    status: 33,
    createdAt: '2026-01-01T00:00:00Z',
    modifiedAt: '2026-01-01T23:00:00Z',
    workingDirectories: ['file:///home/user/work'],
  };
  const options = { now, home: '/home/user' };
  expect(sessionLine(session, { ...options, columns: 63 })).toBe(
    '01234567  idle     demo         1 h  長い題名長い題...  ~/work',
  );
  expect(sessionLine(session, { ...options, columns: 50 })).toMatch(/^01234567 .*\.\.\.$/);
  expect(sessionLine(session, options)).toContain(`${session.title}  ~/work`);
});

test('a session shows as working while a turn runs in any of its chats', () => {
  expect(sessionWord({ status: 33, _meta: { workingChats: 1 } })).toBe('working');
  expect(sessionWord({ status: 33, _meta: { metadata: {} } })).toBe('idle');
  expect(sessionWord({ status: 24, _meta: { workingChats: 1 } })).toBe('asks');
  expect(sessionWord({ status: 1 })).toBe('unread');
});
