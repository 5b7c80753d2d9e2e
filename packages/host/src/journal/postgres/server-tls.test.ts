import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeCertificate } from '../../tls/make-certificate.ts';
import { Connection } from './connection.ts';
import { tlsFault } from './tls-errors.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-tls-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const FULL = 'sslmode=verify-full&sslrootcert=ROOT';

/**
 * Connects to a server on 127.0.0.1 that has a certificate for `name`, and closes the connection after the handshake. Resolves with the error and whether
 * the client has sent anything by TLS.
 */
async function connectTo(name: string, query: string): Promise<{ message: string; isTrusted: boolean }> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const wish = { key: createPrivateKey(key), names: [name], now: Date.now(), validDays: 30 };
  const cert = await makeCertificate(wish);
  writeFileSync(join(folder, 'root.pem'), cert);
  let isTrusted = false;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    // The request for TLS.
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, key, cert });
      secure.on('error', () => undefined);
      secure.once('data', () => {
        isTrusted = true;
        socket.destroy();
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: AddressInfo = Object(server.address());
  const url = `postgres://me@127.0.0.1:${port}/db?${query.replace('ROOT', join(folder, 'root.pem'))}`;
  try {
    const connection = await Connection.open({ url }, 'test');
    await connection.end();
    return { message: 'connected', isTrusted };
  } catch (error) {
    return { message: String(error), isTrusted };
  } finally {
    server.close();
  }
}

test('a failure of TLS names the parameter of the URL that has to change', async () => {
  const message = async (query: string): Promise<string> => (await connectTo('127.0.0.1', query)).message;
  expect(await message('sslmode=verify-full')).toMatch(
    /certificate of PostgreSQL at 127\.0\.0\.1:\d+ is not trusted \(self-signed certificate\): name .* sslrootcert/,
  );
  expect(await message('sslrootcert=/nope')).toContain(
    'sslrootcert=/nope in the URL of the database cannot be read (ENOENT): give the path of a PEM file',
  );
  const empty = join(folder, 'empty.pem');
  writeFileSync(empty, '');
  expect(await message(`sslrootcert=${empty}`)).toContain('is not a PEM file');
});

test.each([
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'certificate required'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'unknown ca'],
])(
  'a server that refuses the certificate of the client is told from one that is not trusted: %s',
  (code, alert) => {
    const fault = tlsFault(Object.assign(new Error('alert number 116'), { code }), 'db:5432');
    expect(fault).toBe(
      `PostgreSQL at db:5432 refused the connection by TLS (${alert}): check sslcert and sslkey in the URL of the database`,
    );
  },
);

test('a certificate is valid for the address of the URL, also for an IP address', async () => {
  expect(await connectTo('127.0.0.1', FULL)).toMatchObject({ isTrusted: true });
  const refused = await connectTo('localhost', FULL);
  expect(refused).toMatchObject({
    isTrusted: false,
    message: expect.stringContaining('valid for DNS:localhost'),
  });
  expect(await connectTo('localhost', 'sslrootcert=ROOT')).toMatchObject({ isTrusted: false });
  expect(await connectTo('127.0.0.1', 'sslmode=verify-full')).toMatchObject({ isTrusted: false });
  expect(await connectTo('localhost', 'sslmode=no-verify')).toMatchObject({ isTrusted: true });
});
