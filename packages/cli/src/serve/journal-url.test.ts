import { expect, test } from 'vitest';
import { announcedHostOf, announcementOf, checkJournalUrl, findJournalFault } from './journal-url.ts';

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

test.each([
  ['0.0.0.0', undefined, 'http://box:4711'],
  ['::', undefined, 'http://box:4711'],
  ['0.0.0.0', 'https://machine1', 'https://machine1'],
  ['10.0.0.2', 'http://machine1:32000', 'http://machine1:32000'],
])('a host on %s with --announce %s accepts the Host of %s', (host, url, announced) => {
  const address = `http://${host.includes(':') ? `[${host}]` : host}:4711`;
  const [machine, load] = ['Box', { runningTurns: 0, isDraining: false }];
  const place = { address, machine, fingerprint: undefined };
  expect(announcementOf({ url, labels: [] }, place, load).url).toBe(announced);
  const { hostname, port, protocol } = new URL(announced);
  const accepted = announcedHostOf({ url }, { host, machine });
  // A name without a port is accepted with the listened port.
  expect(accepted).toBe(
    url === undefined ? hostname : `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`,
  );
});

test('a host on one address accepts no further name', () => {
  expect(announcedHostOf({ url: undefined }, { host: '10.0.0.2', machine: 'box' })).toBeUndefined();
});
