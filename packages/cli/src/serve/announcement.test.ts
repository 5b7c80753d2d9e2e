import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CertificateInfo } from '@agenthost/host';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readHosts } from '../host-link/discovery.ts';
import { addressesElsewhere, leaveWord } from './announcement.ts';
import type { RunningHost } from './start.ts';

let folder: string;
let lines: string[];
let renew: (certificate: CertificateInfo) => void;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'agenthost-word-')), 'hosts');
  lines = [];
});

afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const certificate = (fingerprint: string): CertificateInfo => ({
  fingerprint,
  keyFingerprint: `key of ${fingerprint}`,
  warnings: [],
});

const address = { url: 'https://127.0.0.1:1', wsUrl: 'wss://127.0.0.1:1/ahp' };
const facts = { ...address, dataDir: '/data', version: '0.1.0' };
const running: Pick<RunningHost, 'address' | 'notices' | 'onCertificate'> = {
  address: {
    ...address,
    pageUrl: 'https://127.0.0.1:1/',
    port: 1,
    token: 'owner',
    certificate: certificate('first'),
  },
  notices: [],
  onCertificate: (listener) => {
    renew = listener;
  },
};

test('other commands find a renewed certificate, and nothing after the announcement is removed', async () => {
  const word = await leaveWord(folder, running, facts, (line) => lines.push(line));
  expect(await readHosts(folder)).toMatchObject([{ fingerprint: 'first', keyFingerprint: 'key of first' }]);
  renew(certificate('second'));
  renew(certificate('third'));
  expect(word.certified).toEqual({ fingerprint: 'third', keyFingerprint: 'key of third' });
  await expect
    .poll(async () => (await readHosts(folder)).map(({ fingerprint }) => fingerprint))
    .toEqual(['third']);
  renew(certificate('fourth'));
  await word.withdraw();
  expect(await readHosts(folder)).toEqual([]);
  expect(lines).toEqual([]);
});

test('an announcement that cannot be changed is reported', async () => {
  const word = await leaveWord(folder, running, facts, (line) => lines.push(line));
  rmSync(folder, { recursive: true });
  // Root may write everywhere, so the test puts a file in the place of the folder.
  writeFileSync(folder, '');
  renew(certificate('second'));
  await word.withdraw().catch((error: unknown) => expect(error).toMatchObject({ code: 'ENOTDIR' }));
  expect(lines).toEqual([expect.stringContaining('need the new certificate in --fingerprint')]);
});

const at = (address: string, family: 'IPv4' | 'IPv6', internal = false, scopeid = 0) => ({
  ...{ address, internal, netmask: '', mac: '', cidr: null },
  ...(family === 'IPv4' ? { family } : { family, scopeid }),
});
const interfaces = {
  lo: [at('127.0.0.1', 'IPv4', true), at('::1', 'IPv6', true)],
  eth0: [at('192.0.2.7', 'IPv4'), at('2001:db8::7', 'IPv6'), at('fe80::7', 'IPv6', false, 2)],
};

test.each([
  ['0.0.0.0', ['https://192.0.2.7:4711']],
  ['::', ['https://192.0.2.7:4711', 'https://[2001:db8::7]:4711']],
  ['192.0.2.7', ['https://192.0.2.7:4711']],
  ['2001:db8::7', ['https://[2001:db8::7]:4711']],
  ['127.0.0.1', []],
  ['::1', []],
])('a host that listens on %s is reachable from other machines by %j', (host, addresses) => {
  expect(addressesElsewhere(host, 'https://127.0.0.1:4711', interfaces)).toEqual(addresses);
});
