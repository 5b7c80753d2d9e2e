import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Machine } from './cli-process.ts';

let machine: Machine;
beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.dispose());

describe('agenthost serve', () => {
  test('prints one line with --json when it is ready, and announces itself to its own user only', async () => {
    const { host, line } = await machine.serve();
    expect(host.out.trimEnd().split('\n')).toHaveLength(1);
    const said: object = JSON.parse(host.out);
    expect(Object.keys(said)).toEqual(['url', 'wsUrl', 'tokenFile', 'pid']);
    expect(said).toMatchObject({ tokenFile: join(machine.dataFolder, 'owner-token') });
    // The printed line ends up in logs.
    expect(host.out).not.toContain(line.token);
    expect(line.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/?$/);
    expect(line.wsUrl).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/ahp$/);
    expect(line.pid).toBe(host.pid);
    const file = join(machine.hostsFolder, `${line.pid}.json`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(machine.hostsFolder).mode & 0o777).toBe(0o700);
    expect((await fetch(`${line.url}/healthz`)).status).toBe(200);
  });

  test('prints its address, its data folder and its agents', async () => {
    const host = machine.start(['serve', '--port', '0']);
    await host.until('Ctrl-C stops it.');
    expect(host.out).toMatch(/^agenthost \d+\.\d+\.\d+ on http:\/\/127\.0\.0\.1:\d+/);
    const { url } = machine.hosts()[0] ?? {};
    // The output may end up in a log, so the address has no token.
    expect(host.out).toContain(`  page    ${url}/\n`);
    expect(host.out).toContain('data    ~/.local/share/agenthost\n');
    expect(host.out).toContain('token   ~/.local/share/agenthost/owner-token\n');
    expect(host.out).toContain('agents  demo (default)\n');
    expect(host.out).not.toContain(machine.hosts()[0]?.token);
  });

  test('serves the page below a base path, and its own clients need none', async () => {
    const host = machine.start(['serve', '--port', '0', '--base-path', '/agents/', '--trust-proxy']);
    await host.until('Ctrl-C stops it.');
    const { url } = machine.hosts()[0] ?? {};
    expect(host.out).toContain(`  page    ${url}/agents/\n`);
    const forwarded = { 'x-forwarded-host': 'evil.example' };
    expect((await fetch(`${url}/agents/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/agents/healthz`, { headers: forwarded })).status).toBe(403);
    expect((await machine.run(['sessions'])).code).toBe(0);
  });

  test('refuses a base path that is none', async () => {
    const { code, err } = await machine.run(['serve', '--port', '0', '--base-path', 'agents']);
    expect(code).toBe(2);
    expect(err).toContain('--base-path: expected a path such as /agents, got agents');
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'stops in order at %s: ends turns visibly, exits 0 and takes its word back',
    async (signal) => {
      const { host } = await machine.serve();
      const running = machine.start(['run', 'say started\nhang']);
      await running.until('started');
      host.kill(signal);
      expect((await host.ended).code).toBe(0);
      expect(readdirSync(machine.hostsFolder)).toEqual([]);
      const { code, err } = await running.ended;
      expect(code).toBe(1);
      expect(err).toMatch(/\nagenthost: The host was (?:re)?st(?:arted|opped) while this was running\n$/);
    },
  );

  test.each(['initialize', 'subscribe'])(
    'stops also when it gets no answer to what it asks about terminals (%s)',
    async (method) => {
      const preload = new URL('preload.ts', import.meta.url).href;
      const host = machine.start(['serve', '--port', '0'], {
        NODE_OPTIONS: `--import=${preload}`,
        LOST_METHOD: method,
      });
      await host.until('Ctrl-C stops it.');
      host.kill('SIGTERM');
      expect(await host.ended).toMatchObject({
        code: 0,
        err: 'stopping; press Ctrl-C again to exit immediately\n',
      });
    },
    30_000,
  );

  test('prints the path of a damaged database, and continues with a new one', async () => {
    mkdirSync(machine.dataFolder, { recursive: true });
    writeFileSync(
      join(machine.dataFolder, 'journal.db'),
      'no database at all, but long enough to be one'.repeat(200),
    );
    const { host } = await machine.serve();
    const lines = host.err.split('\n').filter((line) => line.includes('damaged'));
    expect(lines).toHaveLength(1);
    const path = /it was moved to (\S+);/.exec(lines[0] ?? '')?.[1] ?? '';
    expect(readFileSync(path, 'utf8')).toMatch(/^no database at all/);
  });

  test('uses the token of the environment, or of a file', async () => {
    const env = { AGENTHOST_TOKEN: 'a-token-that-is-long-enough-to-be-one' };
    const first = machine.start(['serve', '--port', '0', '--json'], env);
    await first.until('}\n');
    expect(Object.keys(JSON.parse(first.out))).toEqual(['url', 'wsUrl', 'pid']);
    expect(machine.hosts().map(({ token }) => token)).toEqual([env.AGENTHOST_TOKEN]);
    const file = join(machine.home, 'token');
    writeFileSync(file, 'another-token-that-is-long-enough-to-be-one\n', { mode: 0o600 });
    const { line } = await machine.serve('--data', join(machine.home, 'other'), '--token-file', file);
    expect(line).toMatchObject({ tokenFile: file, token: 'another-token-that-is-long-enough-to-be-one' });
  });

  test('refuses a token of the environment that no header can carry, with the name of the variable', async () => {
    const { code, err } = await machine.run(['serve', '--port', '0'], { AGENTHOST_TOKEN: 'two words' });
    expect(code).toBe(1);
    expect(err).toContain('AGENTHOST_TOKEN must be printable ASCII');
  });

  test('on all addresses is found by loopback, with a warning', async () => {
    const host = machine.start(['serve', '--port', '0', '--host', '0.0.0.0', '--insecure-listen']);
    await host.until('Ctrl-C stops it.');
    expect(host.out).toMatch(/ on http:\/\/127\.0\.0\.1:\d+\n/);
    await host.until('other machines can reach this host on 0.0.0.0, unencrypted');
    expect((await machine.run(['sessions'])).code).toBe(0);
  });

  test('makes the only installed real agent the default, and the config overrides it', async () => {
    const bin = join(machine.home, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'gemini'), '#!/bin/sh\nexit 1\n');
    chmodSync(join(bin, 'gemini'), 0o755);
    const PATH = `${bin}:/usr/bin:/bin`;
    const host = machine.start(['serve', '--port', '0'], { PATH });
    await host.until('Ctrl-C stops it.');
    expect(host.out).toContain('agents  gemini (default), demo\n');
    host.kill('SIGTERM');
    await host.ended;
    const config = join(machine.home, 'agenthost.json');
    writeFileSync(config, JSON.stringify({ defaultAgent: 'demo' }));
    const other = machine.start(['serve', '--port', '0', '--config', config], { PATH });
    await other.until('Ctrl-C stops it.');
    expect(other.out).toContain('agents  gemini, demo (default)\n');
  });
});

test.each([
  [['--data', ''], '--data: expected a folder, got nothing'],
  [['--root', ''], '--root: expected a folder, got nothing'],
  [['--root', '/nope'], '--root: /nope is not a folder'],
  [['--root', 'notes'], 'notes is not a folder'],
])('serve %j is refused, and makes nothing', async (args, message) => {
  const { code, out, err } = await machine.run(['serve', '--port', '0', ...args]);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(message);
  expect(readdirSync(machine.home)).toEqual([]);
});

test('a service starts without a --root that comes later, and exits with 1 for a token file whose folder does', async () => {
  const env = { AGENTHOST_SERVICE: 'agenthost.service' };
  const service = machine.start(['serve', '--port', '0', '--root', '/nope', '--data', 'data'], env);
  await service.until('Ctrl-C stops it.');
  expect(service.err).toContain('--root: /nope is not a folder');
  const early = await machine.run(['serve', '--port', '0', '--token-file', '/nope/token'], env);
  expect(early).toMatchObject({ code: 1, err: 'agenthost: --token-file: no folder /nope\n' });
});

test('a --root is relative to the folder of the call of serve', async () => {
  mkdirSync(join(machine.home, 'notes'));
  const { line } = await machine.serve('--root', 'notes');
  const env = { AGENTHOST_TOKEN: '' };
  for (const [cwd, code] of [
    ['notes', 0],
    ['.', 1],
  ] as const) {
    const made = await machine.run(['token', 'create', '--scope', 'interact', '--json'], env);
    const { secret } = JSON.parse(made.out) as { secret: string };
    const ran = await machine.run(['run', '--url', line.url, '--cwd', join(machine.home, cwd), 'say hi'], {
      AGENTHOST_TOKEN: secret,
    });
    expect([cwd, ran.code]).toEqual([cwd, code]);
  }
});

test('on loopback a token that can be guessed causes a warning', async () => {
  const env = { AGENTHOST_TOKEN: 'abc' };
  const host = machine.start(['serve', '--port', '0'], env);
  await host.until('Ctrl-C stops it.');
  await host.until('AGENTHOST_TOKEN has fewer than 16 characters, and can be guessed');
  expect(host.out).not.toContain('abc');
  host.kill('SIGTERM');
  await host.ended;
  const file = join(machine.home, 'short');
  writeFileSync(file, 'abc', { mode: 0o600 });
  const other = machine.start(['serve', '--port', '0', '--token-file', file]);
  await other.until('short has fewer than 16 characters, and can be guessed');
});

describe('a host that cannot start prints the reason in one line', () => {
  const fails = async (args: readonly string[]): Promise<string> => {
    const { code, out, err } = await machine.run(['serve', ...args]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^agenthost: [^\n]+\n$/);
    return err;
  };

  test('port in use, by a host or by another program', async () => {
    const { line } = await machine.serve();
    const { port } = new URL(line.url);
    const byHost = await fails(['--port', port, '--data', join(machine.home, 'other')]);
    expect(byHost).toContain(`port ${port} on 127.0.0.1 is in use by the host with pid ${line.pid}`);
    expect(byHost).toContain('0 picks a free port');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const taken = typeof address === 'object' ? String(address?.port) : '';
    expect(await fails(['--port', taken, '--data', join(machine.home, 'other')])).toContain(
      'in use by another program',
    );
    await new Promise((resolve) => server.close(resolve));
  });

  test('data folder held by another host, which it names', async () => {
    const { line } = await machine.serve();
    const said = await fails(['--port', '0']);
    expect(said).toContain(`in use by the host on ${line.url} (pid ${line.pid})`);
    expect(said).toContain('--data');
  });

  test('data folder that is a file', async () => {
    const file = join(machine.home, 'file');
    writeFileSync(file, '');
    expect(await fails(['--port', '0', '--data', file])).toContain(`${file} is not a folder`);
  });

  // Root may write anywhere. A test of hostile input covers a read-only disk.
  const unwritable = process.getuid?.() === 0 ? [] : ['read-only'];
  test.each(unwritable)('data folder that is %s', async (name) => {
    const folder = join(machine.home, name);
    mkdirSync(folder, { mode: 0o500 });
    expect(await fails(['--port', '0', '--data', folder])).toContain('cannot be written');
  });

  test('database of a newer version', async () => {
    const { host } = await machine.serve();
    host.kill('SIGTERM');
    await host.ended;
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(join(machine.dataFolder, 'journal.db'));
    database.exec('PRAGMA user_version = 9999');
    database.close();
    expect(await fails(['--port', '0'])).toMatch(/newer|9999/);
  });

  test.each([
    ['{', 'expected JSON'],
    ['{"roots": ["here"]}', 'roots: expected a list of absolute paths, got ["here"]'],
  ])('config file %s', async (text, message) => {
    const config = join(machine.home, 'bad.json');
    writeFileSync(config, text);
    const said = await fails(['--port', '0', '--config', config]);
    expect(said).toContain(`${config}: ${message}`);
  });

  test('a named config file that is missing, and an address of another machine', async () => {
    expect(await fails(['--config', join(machine.home, 'none.json')])).toContain('none.json: does not exist');
    expect(await fails(['--port', '0', '--host', '192.0.2.1', '--insecure-listen'])).toContain(
      '192.0.2.1 is not an address',
    );
  });
});

describe('finding a host', () => {
  test('exits 4 when there is none, and prints how to start one', async () => {
    const { code, err } = await machine.run(['sessions']);
    expect(code).toBe(4);
    expect(err).toBe(
      'agenthost: no host is running: start one with `agenthost serve`, or add --start to this command\n',
    );
  });

  test('requires --url when there are several, and lists them', async () => {
    const [first, second] = await Promise.all([
      machine.serve(),
      machine.serve('--data', join(machine.home, 'other')),
    ]);
    const { code, err } = await machine.run(['term', 'list']);
    expect(code).toBe(2);
    for (const { line } of [first, second]) expect(err).toContain(`--url ${line.url}  (pid ${line.pid}`);
    // The token of the user's own host is known.
    expect((await machine.run(['sessions', '--url', second.line.url])).code).toBe(0);
  });

  test('removes the announcements of hosts that have ended, and keeps those of other machines', async () => {
    const { host, line } = await machine.serve();
    host.kill('SIGKILL');
    await host.ended;
    const file = join(machine.hostsFolder, `${line.pid}.json`);
    const record: object = JSON.parse(readFileSync(file, 'utf8'));
    // A pid that another process uses now, which started at another time.
    writeFileSync(
      join(machine.hostsFolder, `${process.pid}.json`),
      JSON.stringify({ ...record, pid: process.pid }),
    );
    const elsewhere = join(machine.hostsFolder, '1.json');
    writeFileSync(elsewhere, JSON.stringify({ ...record, pid: 1, machine: `not-${hostname()}` }));
    expect((await machine.run(['sessions'])).code).toBe(4);
    expect(readdirSync(machine.hostsFolder)).toEqual(['1.json']);
    writeFileSync(elsewhere, '{}');
    expect((await machine.run(['sessions'])).code).toBe(4);
    writeFileSync(elsewhere, JSON.stringify({ ...record, pid: line.pid }));
    expect((await machine.run(['sessions'])).code).toBe(4);
    expect(readdirSync(machine.hostsFolder)).toEqual([]);
  });

  test('--start starts one in the background, which stays', async () => {
    const env = { AGENTHOST_PORT: '0' };
    const { code, out, err } = await machine.run(['run', '--start', 'say hi'], env);
    expect({ code, out }).toEqual({ code: 0, out: 'hi\n' });
    expect(err).toMatch(/^started a host on http:\/\/127\.0\.0\.1:\d+\/? \(pid \d+\), log in .*serve\.log\n/);
    expect(await machine.run(['run', '--start', 'say again'], env)).toMatchObject({
      code: 0,
      out: 'again\n',
    });
    expect(machine.hosts()).toHaveLength(1);
  });

  test('--start prints why the host could not start', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const { code, err } = await machine.run(['run', '--start', 'say hi'], { AGENTHOST_PORT: port });
    await new Promise((resolve) => server.close(resolve));
    expect(code).toBe(4);
    expect(err).toContain(`the host could not start: port ${port} on 127.0.0.1 is in use`);
  });
});

describe('a host that is killed while run waits', () => {
  test('[CONN-8] run reconnects when the host is back, and ends with the outcome of the turn', async () => {
    const { host, line } = await machine.serve();
    const { port } = new URL(line.url);
    const running = machine.start(['run', 'say started\nhang']);
    await running.until('started');
    host.kill('SIGKILL');
    await host.ended;
    await running.until('lost the connection to the host');
    const again = machine.start(['serve', '--port', port, '--json']);
    await again.until('}\n');
    const { code, err } = await running.ended;
    expect(code).toBe(1);
    expect(err).toContain('reconnected to the host');
    expect(err).toMatch(/\nagenthost: The host was (?:re)?st(?:arted|opped) while this was running\n$/);
  });

  test('run fails with a clear message when its timeout comes before the host is back', async () => {
    const { host } = await machine.serve();
    const running = machine.start(['run', '--timeout', '2', 'say started\nhang']);
    await running.until('started');
    host.kill('SIGKILL');
    const { code, err } = await running.ended;
    expect(code).toBe(1);
    expect(err).toMatch(
      /lost the connection to the host .*\n[^]*agenthost: timed out after 2 s; the host could not be reached/,
    );
  });
});
