import { createHash, createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readCredentials, TlsError } from './credentials.ts';
import { makeCertificate } from './make-certificate.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2030-05-01T00:00:00Z');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-tls-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const newKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();

function put(name: string, text: string, mode = 0o600): string {
  const file = join(folder, name);
  writeFileSync(file, text, { mode });
  return file;
}

async function pair(from = NOW): Promise<{ cert: string; key: string }> {
  const key = newKey();
  const wish = { key: createPrivateKey(key), names: ['host.example'], now: from, validDays: 30 };
  return { cert: await makeCertificate(wish), key };
}

function failure(certFile: string, keyFile: string): string {
  try {
    readCredentials({ certFile, keyFile }, NOW);
  } catch (error) {
    if (error instanceof TlsError) return error.message;
    throw error;
  }
  throw new Error('it was taken');
}

test('a matching pair is accepted, with the fingerprints that other tools compute', async () => {
  const { cert, key } = await pair();
  const read = readCredentials({ certFile: put('c.pem', cert), keyFile: put('k.pem', key) }, NOW);
  const certificate = new X509Certificate(cert);
  expect(read.fingerprint).toBe(certificate.fingerprint256);
  const spki = certificate.publicKey.export({ type: 'spki', format: 'der' });
  expect(read.keyFingerprint.replaceAll(':', '').toLowerCase()).toBe(
    createHash('sha256').update(spki).digest('hex'),
  );
  expect(read.warnings).toEqual([]);
});

test('an unusable file is refused with its path and a remedy, and never with its content', async () => {
  const [one, other] = [await pair(), await pair()];
  const cert = put('c.pem', one.cert);
  const key = put('k.pem', one.key);
  const locked = createPrivateKey(one.key)
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
    .toString();
  const secretText = 'no-pem-but-secret';
  const said = [
    failure(join(folder, 'none.pem'), key),
    failure(cert, join(folder, 'none.pem')),
    failure(put('bad.pem', secretText), key),
    failure(cert, put('bad-key.pem', secretText)),
    failure(cert, put('locked.pem', locked)),
    failure(cert, put('other.pem', other.key)),
    failure(folder, key),
  ];
  expect(said[0]).toMatch(/the certificate file .*none\.pem cannot be read \(ENOENT\)/);
  expect(said[1]).toMatch(/the key file .*none\.pem cannot be read \(ENOENT\)/);
  expect(said[2]).toMatch(/bad\.pem holds no certificate in PEM/);
  expect(said[3]).toMatch(/bad-key\.pem holds no private key in PEM/);
  expect(said[4]).toMatch(/locked\.pem is protected by a passphrase, .* write it without one/);
  expect(said[5]).toMatch(/other\.pem does not belong to the certificate in .*c\.pem/);
  expect(said[6]).toMatch(/cannot be read \(EISDIR\)/);
  expect(said.join('\n')).not.toContain(secretText);
  for (const message of said) expect(message).not.toContain('\n');
});

test('an expired certificate, and a key that everybody can read, are warnings', async () => {
  const late = await pair(NOW - 60 * DAY_MS);
  const key = put('k.pem', late.key);
  chmodSync(key, 0o644);
  const { warnings } = readCredentials({ certFile: put('c.pem', late.cert), keyFile: key }, NOW);
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toMatch(/c\.pem expired on 2030-04-01: browsers refuse it/);
  expect(warnings[1]).toMatch(/k\.pem can be read by every user/);
  const early = await pair(NOW + 60 * DAY_MS);
  const files = { certFile: put('c2.pem', early.cert), keyFile: put('k2.pem', early.key) };
  expect(readCredentials(files, NOW).warnings).toEqual([
    expect.stringMatching(/c2\.pem is not valid before 2030-06-29/),
  ]);
});
