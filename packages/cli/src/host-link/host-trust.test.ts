import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { knownCertificate, rememberCertificate } from './host-trust.ts';

test('[AUTH-1] certificates that are stored at the same time are all kept, and only this user can read them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'host-trust-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'state', 'known-hosts');
  const certificateOf = (index: number) => ({
    fingerprint: Array<string>(32).fill(`A${index}`).join(':'),
    keyFingerprint: Array<string>(32).fill(`B${index}`).join(':'),
  });
  const hosts = ['a:443', 'b:443', 'c:443', 'd:443', 'e:443', 'f:443'];
  await Promise.all(hosts.map((host, index) => rememberCertificate(file, host, certificateOf(index))));
  for (const [index, host] of hosts.entries())
    expect(await knownCertificate(file, host), host).toEqual(certificateOf(index));
  await rememberCertificate(file, 'a:443', certificateOf(9));
  expect(await knownCertificate(file, 'a:443')).toEqual(certificateOf(9));
  expect(readdirSync(join(folder, 'state'))).toEqual(['known-hosts']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
