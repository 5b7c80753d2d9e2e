// TLS and the rules of listening as a user meets them: the built program, real sockets.
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { CertificateRefused, connectPinned } from '@agenthost/client/pinned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Machine, type RunningCli, type ServeLine } from '../../packages/cli/test/cli-process.ts';

interface TlsLine extends ServeLine {
  readonly fingerprint: string;
  readonly keyFingerprint: string;
}

const server = new Machine();
/** Another user, who cannot discover the host. */
const client = new Machine();
let host: RunningCli;
let line: TlsLine;

async function serveTls(...args: string[]): Promise<void> {
  ({ host, line } = (await server.serve('--tls', ...args)) as { host: RunningCli; line: TlsLine });
}

beforeAll(() => serveTls());

afterAll(() => Promise.all([server.dispose(), client.dispose()]));

const sessions = (...args: string[]): ReturnType<Machine['run']> =>
  client.run(['sessions', '--url', line.url, ...args], { AGENTHOST_TOKEN: line.token });

const knownHosts = (): string => join(client.home, '.local/state/agenthost/known-hosts');

describe('a host with --tls', () => {
  test('prints its fingerprint, is found by its own user without one, and keeps its key readable for that user only', async () => {
    expect(line.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(line.wsUrl).toMatch(/^wss:/);
    expect(line.fingerprint).toMatch(/^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    expect(statSync(join(server.dataFolder, 'tls/key.pem')).mode & 0o777).toBe(0o600);
    expect((await server.run(['sessions'])).code).toBe(0);
    expect((await server.run(['run', 'say over TLS'])).out).toContain('over TLS');
  });

  test('shows its fingerprint to another user at the first connection, and is known from then on', async () => {
    rmSync(knownHosts(), { force: true });
    const first = await sessions();
    expect(first).toMatchObject({ code: 0 });
    expect(first.err).toContain(`SHA256 ${line.fingerprint}`);
    expect(statSync(knownHosts()).mode & 0o777).toBe(0o600);
    expect(await sessions()).toMatchObject({ code: 0, err: expect.not.stringContaining('SHA256') });
    expect(await sessions('--fingerprint', line.fingerprint.replaceAll(':', '').toLowerCase())).toMatchObject(
      { code: 0 },
    );
  });

  test('is refused with an error when its certificate differs from the known one, and nothing is sent to it', async () => {
    const other = 'AB'.repeat(32).replace(/(..)(?!$)/g, '$1:');
    const authority = new URL(line.url).host;
    writeFileSync(knownHosts(), `${authority} ${other} ${other}\n`);
    const { code, err, out } = await sessions();
    expect(code).toBe(4);
    expect(out).toBe('');
    expect(err).toContain(`THE CERTIFICATE OF ${authority} HAS CHANGED`);
    expect(err).toContain(`expected SHA256 ${other}`);
    expect(err).toContain(`got      SHA256 ${line.fingerprint}`);
    // Unchanged: a refusal stores nothing.
    expect(readFileSync(knownHosts(), 'utf8')).toContain(other);
    expect(await sessions('--fingerprint', line.fingerprint)).toMatchObject({ code: 0 });
    expect(await sessions()).toMatchObject({ code: 0 });
    expect(readFileSync(knownHosts(), 'utf8')).not.toContain(other);
  });

  test('is refused by the library before a token is sent', async () => {
    const refused = connectPinned(line.url, { token: line.token, fingerprints: ['00'.repeat(32)] });
    const error = await refused.catch((cause: unknown) => cause);
    expect(error).toMatchObject({ name: 'UntrustedHost' });
    expect(error instanceof Error && error.cause).toBeInstanceOf(CertificateRefused);
    const pinned = await connectPinned(line.wsUrl, {
      token: line.token,
      fingerprints: [line.keyFingerprint],
    });
    expect(pinned.status.state).toBe('online');
    pinned.close();
    await expect(
      connectPinned(line.wsUrl, {
        token: 'wrong',
        fingerprints: [line.keyFingerprint],
      }),
    ).rejects.toMatchObject({
      name: 'Unauthorized',
      refusal: { status: 401, reason: expect.stringContaining('this one is wrong') },
    });
    await expect(connectPinned(line.url, { fingerprints: ['short'] })).rejects.toThrow(TypeError);
  });

  test('tells a client with `ws:` to use `wss:`, and disconnects no other client', async () => {
    const plainUrl = line.url.replace('https', 'http');
    const sent = request(plainUrl, { agent: false });
    sent.end();
    const [response] = await once(sent, 'response');
    let body = '';
    for await (const chunk of response) body += String(chunk);
    expect([response.statusCode, body]).toEqual([400, 'This host speaks TLS here: use https:// or wss://\n']);
    const { code, err } = await client.run(['sessions', '--url', plainUrl], { AGENTHOST_TOKEN: line.token });
    expect([code, err]).toEqual([
      4,
      `agenthost: the host at ${plainUrl} speaks TLS: use https:// or wss:// (with an s)\n`,
    ]);
  });

  test('disconnects clients without a token that send nothing or never finish, with TLS or without', async () => {
    const port = Number(new URL(line.url).port);
    const say = async (socket: Socket, text: string): Promise<void> => {
      socket.on('error', () => undefined);
      socket.resume();
      const writing = setInterval(() => socket.write(text), 500);
      await new Promise((resolve) => socket.once('close', resolve));
      clearInterval(writing);
    };
    const inTls = async (text: string): Promise<void> => {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      return say(socket, text);
    };
    // With `allowHalfOpen` this client stays connected after the host ends its side.
    const plain = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    await Promise.all([inTls(''), inTls('x'), say(plain, 'x')]);
    expect(plain.readyState, 'all three were cut').toBe('closed');
  }, 25_000);

  test('stops at once despite connections that are silent or in mid-handshake, and keeps its key', async () => {
    const { port } = new URL(line.url);
    const silent = connect(Number(port), '127.0.0.1');
    const half = connect(Number(port), '127.0.0.1');
    for (const socket of [silent, half]) {
      socket.on('error', () => undefined);
      await once(socket, 'connect');
    }
    half.write(Buffer.of(0x16, 3, 1));
    // Completes the TLS handshake and then sends nothing.
    const mute = connectTls({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
    mute.on('error', () => undefined);
    await once(mute, 'secureConnect');
    const { keyFingerprint, fingerprint } = line;
    host.kill('SIGTERM');
    expect((await host.ended).code).toBe(0);
    for (const socket of [silent, half, mute]) socket.destroy();
    await serveTls();
    expect(line).toMatchObject({ keyFingerprint, fingerprint });
  });
});

describe('a plain host', () => {
  test('is distinguished from one with TLS', async () => {
    const { line: plain, host: running } = await client.serve();
    const url = plain.url.replace('http', 'https');
    const { code, err } = await server.run(['sessions', '--url', url], { AGENTHOST_TOKEN: plain.token });
    expect([code, err]).toEqual([
      4,
      `agenthost: ${new URL(url).host} does not speak TLS: use http:// or ws:// (without the s)\n`,
    ]);
    running.kill('SIGTERM');
    await running.ended;
  });
});

describe('listening', () => {
  const serve = (args: string[], env: Record<string, string> = {}): ReturnType<Machine['run']> =>
    client.run(['serve', '--port', '0', '--data', join(client.home, 'other'), ...args], env);

  test.each(['0.0.0.0', '::', '192.0.2.1'])(
    'beyond loopback, on %s, is refused in one line without TLS or --insecure-listen, before a folder is made',
    async (address) => {
      const { code, err } = await serve(['--host', address]);
      expect(code).toBe(1);
      expect(err).toBe(
        `agenthost: --host ${address} would admit other machines without encryption: add --tls (or --tls-cert and --tls-key), or --insecure-listen behind a proxy that encrypts\n`,
      );
      expect(existsSync(join(client.home, 'other'))).toBe(false);
    },
  );

  test('on the name of another machine is refused as well, whether the name resolves or not', async () => {
    const { code, err } = await serve(['--host', 'example.invalid']);
    // Without a name server nothing can tell that the name does not exist.
    const refusal =
      code === 2
        ? 'the name does not exist; use an address of this machine'
        : 'would accept unencrypted connections from other machines';
    expect(err).toContain(`--host example.invalid${code === 2 ? ':' : ''} ${refusal}`);
    expect(code).not.toBe(0);
    expect(existsSync(join(client.home, 'other'))).toBe(false);
  });

  test('beyond loopback with a weak token is refused, TLS or not, and the token is not shown', async () => {
    const { code, err } = await serve(['--host', '0.0.0.0', '--tls'], { AGENTHOST_TOKEN: 'shorty' });
    expect(code).toBe(1);
    expect(err).toMatch(
      /^agenthost: --host 0\.0\.0\.0 admits other machines, and the token has fewer than 16 characters[^\n]*\n$/,
    );
    expect(err).not.toContain('shorty');
  });

  test('with mismatched files, or with contradicting options, is refused in one line', async () => {
    const none = await serve(['--tls-cert', 'none.pem', '--tls-key', 'none.pem']);
    expect(none.err).toMatch(/^agenthost: the certificate file .*none\.pem cannot be read \(ENOENT\)\n$/);
    expect((await serve(['--tls-cert', 'none.pem'])).err).toContain(
      '--tls-cert and --tls-key require each other',
    );
    expect((await serve(['--tls', '--tls-cert', 'a', '--tls-key', 'b'])).code).toBe(2);
    const given = await client.run(['sessions', '--url', line.url, '--fingerprint', 'abc']);
    expect([given.code, given.err]).toEqual([2, expect.stringContaining('64 hexadecimal digits')]);
  });
});
