import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SimulatedClock } from '@agenthost/testkit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CertificatePair, newCertificatePair } from '../../test/certificate-pair.ts';
import { readCredentials } from './credentials.ts';
import { CertificateRenewal } from './renewal.ts';

const NOW = Date.parse('2030-05-01T00:00:00Z');

let folder: string;
let clock: SimulatedClock;
let renewal: CertificateRenewal;
let told: string[];
/** Write time of the files in s, set by the test: the disk's clock may not advance between two writes. */
let writtenAt = NOW / 1_000;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-renewal-'));
  clock = new SimulatedClock();
  told = [];
});

afterEach(() => {
  renewal.end();
  rmSync(folder, { recursive: true, force: true });
});

function write(into: string, { cert, key }: Partial<CertificatePair>): void {
  if (cert !== undefined) writeOne(join(into, 'cert.pem'), cert);
  if (key !== undefined) writeOne(join(into, 'key.pem'), key);
}

function writeOne(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
  writtenAt += 1;
  utimesSync(file, writtenAt, writtenAt);
}

function follow(at = folder): void {
  const files = { certFile: join(at, 'cert.pem'), keyFile: join(at, 'key.pem') };
  renewal = new CertificateRenewal({
    files,
    credentials: readCredentials(files, NOW),
    timers: clock,
    now: () => NOW,
    use: ({ fingerprint }) => told.push(fingerprint),
    refuse: ({ message }) => told.push(message),
  });
}

test('changed files are read once, when they have stopped changing', async () => {
  write(folder, await newCertificatePair(NOW));
  follow();
  await clock.advance(60_000);
  expect(told).toEqual([]);
  const next = await newCertificatePair(NOW);
  write(folder, { cert: next.cert });
  // Only half of the pair has been written at this check.
  await clock.advance(10_000);
  write(folder, { key: next.key });
  await clock.advance(10_000);
  expect(told).toEqual([]);
  await clock.advance(10_000);
  expect(told).toEqual([next.fingerprint]);
  await clock.advance(60_000);
  expect(told).toEqual([next.fingerprint]);
});

test('an unusable pair is reported once, and a repaired pair is used', async () => {
  const first = await newCertificatePair(NOW);
  write(folder, first);
  follow();
  const other = await newCertificatePair(NOW);
  write(folder, { cert: other.cert });
  await clock.advance(60_000);
  expect(told).toEqual([expect.stringMatching(/key\.pem does not belong to the certificate in .*cert\.pem/)]);
  rmSync(join(folder, 'key.pem'));
  await clock.advance(60_000);
  expect(told.slice(1)).toEqual([expect.stringMatching(/key\.pem cannot be read \(ENOENT\)/)]);
  write(folder, { key: other.key });
  await clock.advance(60_000);
  expect(told.slice(2)).toEqual([other.fingerprint]);
  // Back to the first pair, which is a change too.
  write(folder, first);
  await clock.advance(60_000);
  expect(told.slice(3)).toEqual([first.fingerprint]);
});

test('a link with a new target is a change, as tools that renew certificates make it', async () => {
  const [old, next] = [await newCertificatePair(NOW), await newCertificatePair(NOW)];
  for (const [name, pair] of [
    ['1', old],
    ['2', next],
  ] as const) {
    mkdirSync(join(folder, name));
    write(join(folder, name), pair);
  }
  symlinkSync('1', join(folder, 'live'));
  follow(join(folder, 'live'));
  symlinkSync('2', join(folder, 'new'));
  renameSync(join(folder, 'new'), join(folder, 'live'));
  await clock.advance(30_000);
  expect(told).toEqual([next.fingerprint]);
});

test('files that changed during the start of the host are noticed, and no file is read after the end', async () => {
  const [old, next, late] = [
    await newCertificatePair(NOW),
    await newCertificatePair(NOW),
    await newCertificatePair(NOW),
  ];
  write(folder, old);
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  const credentials = readCredentials(files, NOW);
  write(folder, next);
  renewal = new CertificateRenewal({
    files,
    credentials,
    timers: clock,
    now: () => NOW,
    use: ({ fingerprint }) => told.push(fingerprint),
    refuse: ({ message }) => told.push(message),
  });
  await clock.advance(10_000);
  expect(told).toEqual([next.fingerprint]);
  renewal.end();
  write(folder, late);
  await clock.advance(60_000);
  expect(told).toEqual([next.fingerprint]);
});
