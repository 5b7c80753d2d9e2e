import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';

import { expect, onTestFinished, test } from 'vitest';
import { newCertificatePair } from '../../test/certificate-pair.ts';
import { PuppetAgent } from '../../test/puppet-agent.ts';
import { MemoryJournal } from '../journal/memory/memory-journal.ts';
import { systemTimers, type Timers } from '../lib/clock.ts';
import { createHost } from './create-host.ts';

/** Timers that run a thousand times as fast. */
const fast: Timers = {
  ...systemTimers,
  after: (delayMs, callback) => systemTimers.after(delayMs / 1_000, callback),
};

async function connected(port: number): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

async function fingerprintAt(port: number): Promise<string> {
  const socket = await connected(port);
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

test('new connections get a renewed certificate, others go on, and an unusable certificate changes nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-certificate-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  const put = async (): Promise<string> => {
    const { cert, key, fingerprint } = await newCertificatePair(Date.now());
    writeFileSync(files.keyFile, key, { mode: 0o600 });
    writeFileSync(files.certFile, cert);
    return fingerprint;
  };
  const first = await put();
  const host = createHost({
    journal: new MemoryJournal(),
    agents: [() => new PuppetAgent()],
    timers: fast,
    listen: { port: 0, token: 'a-token-that-is-long-enough', tls: files },
  });
  onTestFinished(() => host.stop());
  const port = (await host.start())?.port ?? 0;
  expect(await fingerprintAt(port)).toBe(first);
  const before = await connected(port);
  onTestFinished(() => void before.destroy());

  const renewed = new Promise<string>((resolve) =>
    host.on('certificateRenewed', ({ certificate }) => resolve(certificate.fingerprint)),
  );
  const second = await put();
  expect(await renewed).toBe(second);
  expect(await fingerprintAt(port)).toBe(second);
  before.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
  const [answer] = await once(before, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);

  const refused = new Promise<string>((resolve) =>
    host.on('certificateRefused', ({ reason }) => resolve(reason)),
  );
  writeFileSync(files.certFile, 'no certificate');
  expect(await refused).toMatch(/cert\.pem holds no certificate in PEM/);
  expect(await fingerprintAt(port)).toBe(second);
});
