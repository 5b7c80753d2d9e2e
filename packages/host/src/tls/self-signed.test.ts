import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TlsError } from './credentials.ts';
import { isLoopback, namesOf } from './names.ts';
import { selfSigned } from './self-signed.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2030-05-01T00:00:00Z');
const names = ['localhost', '127.0.0.1', '::1', 'host.example', '2001:db8::42'];

let base: string;
let folder: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'agenthost-tls-'));
  folder = join(base, 'tls');
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

const mode = (name: string): number => statSync(join(folder, name)).mode & 0o777;

test('a certificate is made once, for these names only, and only the user can read its key', async () => {
  const first = await selfSigned({ folder, names, now: NOW });
  const certificate = new X509Certificate(first.cert);
  for (const name of ['localhost', 'host.example'])
    expect(certificate.checkHost(name, { subject: 'never' })).toBe(name);
  for (const address of ['127.0.0.1', '::1', '2001:db8::42'])
    expect(certificate.checkIP(address)).toBe(address);
  expect(certificate.checkIP('2001:db8::43')).toBeUndefined();
  expect(certificate.checkHost('example', { subject: 'never' })).toBeUndefined();
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.ca).toBe(false);
  expect(Date.parse(certificate.validTo) - NOW).toBeGreaterThan(800 * DAY_MS);
  expect([mode('key.pem'), mode('certificate.pem')]).toEqual([0o600, 0o600]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder).toSorted()).toEqual(['certificate.pem', 'key.pem']);
  expect((await selfSigned({ folder, names, now: NOW + 700 * DAY_MS })).fingerprint).toBe(first.fingerprint);
});

test.each([
  { what: 'it lacks a name', change: () => undefined, names: [...names, 'new.example'], at: NOW },
  { what: 'its end is near', change: () => undefined, names, at: NOW + 800 * DAY_MS },
  { what: 'the clock stands before its beginning', change: () => undefined, names, at: NOW - 10 * DAY_MS },
  {
    what: 'its file holds half of it',
    change: (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 100)),
    names,
    at: NOW,
  },
])(
  'the certificate is made anew when $what, with the key that clients have pinned',
  async ({ change, ...then }) => {
    const first = await selfSigned({ folder, names, now: NOW });
    change(join(folder, 'certificate.pem'));
    const second = await selfSigned({ folder, names: then.names, now: then.at });
    expect(second.fingerprint).not.toBe(first.fingerprint);
    expect(second.keyFingerprint).toBe(first.keyFingerprint);
  },
);

test('a key that others could read becomes private, and an invalid one is refused with a remedy', async () => {
  await selfSigned({ folder, names, now: NOW });
  const file = join(folder, 'key.pem');
  chmodSync(file, 0o644);
  await selfSigned({ folder, names, now: NOW });
  expect(mode('key.pem')).toBe(0o600);
  writeFileSync(file, 'rubbish');
  const refused = selfSigned({ folder, names, now: NOW });
  await expect(refused).rejects.toThrow(TlsError);
  await expect(refused).rejects.toThrow(
    /key\.pem is not a key of this host: delete the file to get a new key/,
  );
});

test('without a folder it is kept in memory', async () => {
  const made = await selfSigned({ names, now: NOW });
  expect(new X509Certificate(made.cert).fingerprint256).toBe(made.fingerprint);
});

test('only addresses that no other machine can reach are loopback', () => {
  for (const host of [
    'localhost',
    'LOCALHOST',
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '[::1]',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
  ])
    expect([host, isLoopback(host)]).toEqual([host, true]);
  for (const host of [
    '',
    '0.0.0.0',
    '::',
    '[::]',
    '10.0.0.1',
    '127.1',
    '127.0.0.1.example',
    'localhost.example',
    '::ffff:10.0.0.1',
    '0x7f.1',
  ])
    expect([host, isLoopback(host)]).toEqual([host, false]);
});

test('names are those of the host’s addresses and of its settings', () => {
  expect(namesOf('192.0.2.7', ['agents.example:443', '[2001:db8::1]:8443'])).toEqual([
    '192.0.2.7',
    'agents.example',
    '2001:db8::1',
  ]);
  expect(namesOf('127.0.0.1', [])).toEqual(['localhost', '127.0.0.1', '::1']);
  expect(namesOf('0.0.0.0', [])).toEqual(expect.arrayContaining(['localhost', '127.0.0.1', '::1']));
});
