import { expect, test } from 'vitest';
import { checkJournalUrl, findJournalFault } from './journal-url.ts';

test('a journal URL has the scheme of PostgreSQL and no password', () => {
  expect(findJournalFault('postgres://me@db.example.org/agenthost?cell=a')).toBeUndefined();
  expect(findJournalFault('postgresql:///agenthost?host=/run/postgresql')).toBeUndefined();
  expect(findJournalFault('mysql://me@db/agenthost')).toMatch(/^expected a URL such as postgres:/);
  expect(findJournalFault('nonsense')).toMatch(/^expected a URL/);
  expect(() => checkJournalUrl('sqlite')).toThrow(
    '--journal: expected a URL such as postgres://user@server/database?cell=name, got sqlite',
  );
});

test.each([
  'postgres://me:secret@db/agenthost',
  'postgres://me@db/agenthost?password=secret',
  'my://a:secret@b',
])('the password of a refused URL is not repeated: %s', (url) => {
  expect(() => checkJournalUrl(url)).toThrow(/^--journal: (?!.*secret)/);
});
