import { expect, test } from 'vitest';
import { Tickets } from './tickets.ts';

const SUBJECT = { device: 'd', chat: 'ahp-chat:/c', turnId: 't', toolCallId: 'c' };

test('a ticket is used once, unless it is given back', () => {
  const tickets = new Tickets({ now: () => 0 });
  const secret = tickets.issue(SUBJECT);
  expect(tickets.use(secret)).toMatchObject(SUBJECT);
  expect(tickets.use(secret)).toBe('used');
  tickets.giveBack(secret);
  expect(tickets.use(secret)).toMatchObject(SUBJECT);
  expect(tickets.use('other')).toBe('unknown');
});

test('a ticket ends after an hour, used or not', () => {
  let now = 0;
  const tickets = new Tickets({ now: () => now });
  const [used, unused] = [tickets.issue(SUBJECT), tickets.issue(SUBJECT)];
  tickets.use(used);
  now = 3_599_999;
  expect(tickets.use(used)).toBe('used');
  now = 3_600_000;
  expect([used, unused].map((secret) => tickets.use(secret))).toEqual(['unknown', 'unknown']);
});

test('the oldest of more than 1,000 tickets ends', () => {
  const tickets = new Tickets({ now: () => 0 });
  const secrets = Array.from({ length: 1_001 }, () => tickets.issue(SUBJECT));
  expect(secrets.filter((secret) => tickets.use(secret) === 'unknown')).toEqual(secrets.slice(0, 1));
});
