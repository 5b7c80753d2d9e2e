import { expect, test } from 'vitest';
import { parseConfig } from './config.ts';
import {
  announcedHostOf,
  announcementOf,
  checkAnnounced,
  checkJournalUrl,
  findJournalFault,
  splitJournalUrl,
} from './journal-url.ts';

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

test('the name of a cell fits into the path of a gateway', () => {
  expect(splitJournalUrl('postgres://me@db/agenthost?cell=a&sslmode=verify-full')).toEqual({
    url: 'postgres://me@db/agenthost?sslmode=verify-full',
    cell: 'a',
  });
  for (const cell of ['team%2Fa', '..', 'a%20b', 'x'.repeat(101)])
    expect(findJournalFault(`postgres://me@db/agenthost?cell=${cell}`)).toMatch(/^cell: expected 1 to 100 /);
});

test.each([
  ['cel=team-z', 'unknown parameter "cel": expected one of cell, sslmode, '],
  ['Cell=x', 'unknown parameter "Cell"'],
  ['connect_timeout=5', 'unknown parameter "connect_timeout"'],
  ['cell=', 'cell: expected 1 to 100 letters'],
  ['cell=a&cell=b', 'cell: is given twice'],
  [
    'sslmode=bogus',
    'sslmode: expected one of verify-full, verify-ca, require, no-verify, disable, got "bogus"',
  ],
  ['sslmode=prefer', 'sslmode: expected one of'],
  ['sslcert=a.pem', 'sslcert and sslkey require each other'],
  ['sslrootcert=', 'sslrootcert: expected a value'],
])('a parameter without effect is refused by name: %s', (query, fault) => {
  const url = `postgres://me@db/agenthost?${query}`;
  expect(() => checkJournalUrl(url)).toThrow(`--journal: ${fault}`);
  expect(() => parseConfig({ journal: url }, 'c.json')).toThrow(`c.json: journal: ${fault}`);
});

test('a host announces where it listens, under the name of its machine for all addresses, or the given address', () => {
  const load = { runningTurns: 2, isDraining: false };
  const announced = (address: string, url?: string, fingerprint?: string) =>
    announcementOf({ url, labels: ['gpu'] }, { address, machine: 'machine1', fingerprint }, load);
  expect(announced('http://127.0.0.1:4711')).toEqual({
    url: 'http://127.0.0.1:4711',
    labels: ['gpu'],
    ...load,
  });
  expect(announced('https://0.0.0.0:4711', undefined, 'AB:CD')).toMatchObject({
    url: 'https://machine1:4711',
    fingerprint: 'AB:CD',
  });
  expect(announced('http://[::]:80').url).toBe('http://machine1');
  expect(announced('http://0.0.0.0:4711', 'https://m.example.org').url).toBe('https://m.example.org');
  expect(() => checkAnnounced('https://m.example.org:1')).not.toThrow();
  for (const wrong of ['m:4711', 'ws://m:1', 'http://m/base', 'http://me@m', ''])
    expect(() => checkAnnounced(wrong), wrong).toThrow('--announce: expected a URL');
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
