import { expect, test } from 'vitest';
import { JournalError } from '../journal/journal.ts';
import { readTrouble, writeTrouble } from './journal-trouble.ts';

test('clients learn what is known about a journal that fails, and no address of its database', () => {
  const silent = 'PostgreSQL did not answer for 60 s, so this host gave up its cell';
  expect(writeTrouble(new JournalError('lost', silent))).toBe(
    `The host cannot use its journal any more: ${silent}`,
  );
  const unreachable = new JournalError('unreachable', 'no answer from PostgreSQL at 10.0.0.1:5432');
  for (const told of [readTrouble(unreachable), writeTrouble(unreachable)])
    expect(told).toMatch(/database (of the host )?does not answer(?!.*10\.)/);
  expect(readTrouble(new JournalError('closed', ''))).toBe('The host is stopping');
});
