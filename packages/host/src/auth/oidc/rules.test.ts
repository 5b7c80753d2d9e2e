import { expect, test } from 'vitest';
import { admit } from './rules.ts';

test('[AUTH-1] a subject that looks like another person is another person', () => {
  const rules = [
    { email: 'ada@example.org', scope: 'admin', person: 'Ada Lovelace' },
    { group: 'staff', scope: 'none' },
  ] as const;
  const groups = ['staff'];
  for (const sub of ['Ada Lovelace', 'ada@example.org', 'sub:x'])
    expect(admit({ sub, groups }, rules, false)).toEqual({ person: `sub:${sub}`, scope: 'none' });
  // An address that nobody has verified says nothing.
  const claims = { sub: 'x', email: 'ada@example.org', email_verified: false, groups };
  expect(admit(claims, rules, true)).toEqual({ person: 'sub:x', scope: 'none' });
  expect(admit({ ...claims, email_verified: true }, rules, false)).toEqual({
    person: 'Ada Lovelace',
    scope: 'admin',
  });
});
