import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const SSHD = '/usr/sbin/sshd';
const hasSshd = process.platform === 'linux' && existsSync(SSHD) && spawnSync('ssh', ['-V']).status === 0;
if (!hasSshd && process.env['REQUIRE_ALL'] === '1') throw new Error(`not installed: ${SSHD}`);

let laptop: Machine;
let build: Machine;
const ends: (() => Promise<unknown> | void)[] = [];
beforeEach(() => {
  laptop = new Machine();
  // The host that is started there takes a free port.
  build = new Machine({ AGENTHOST_PORT: '0' });
  mkdirSync(join(laptop.home, 'bin'));
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  await Promise.all([laptop.dispose(), build.dispose()]);
});

/** Puts a program `ssh` in front of the one of this machine. */
function ssh(script: string): void {
  writeFileSync(join(laptop.home, 'bin/ssh'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(laptop.home, 'bin/ssh'), 0o755);
}

const env = (): Record<string, string> => ({ PATH: `${laptop.home}/bin:${laptop.environment['PATH']}` });
const run = (...args: string[]): ReturnType<Machine['run']> => laptop.run(args, env());

/** Variables of the other machine, as arguments of `env`. */
const buildEnvironment = (): string =>
  Object.entries(build.environment)
    .map(([name, value]) => `${name}='${value}'`)
    .join(' ');

/** Stands in for `ssh` and the other machine: runs the last argument with the shell of that one. */
const standIn = (before = ''): void =>
  ssh(
    `echo "$$" >> ${laptop.home}/pids\nfor last; do :; done\n${before}\nexec env -i ${buildEnvironment()} SHELL=/bin/sh sh -c "$last"`,
  );

test('[CONN-8] a host over ssh is started when absent; a connection that breaks is made anew while the turn goes on', async () => {
  standIn('echo "Welcome to this machine"');
  const added = await run('hosts', 'add', 'build', 'ssh://me@build.example:2222');
  expect(added).toMatchObject({ code: 0, err: expect.stringContaining('no host runs yet') });
  expect(await run('hosts', 'list', '--json')).toMatchObject({
    out: expect.stringContaining('"state":"absent"'),
  });
  expect(build.hosts()).toEqual([]);

  const first = await run('run', '--host', 'build', 'say hello');
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('hello') });
  expect(first.err).toContain('started a host on ssh://me@build.example:2222 (agenthost ');
  expect(build.hosts()).toHaveLength(1);

  const asking = laptop.start(['run', '--host', 'build', 'say begun\nhang'], env());
  await asking.until('begun');
  const pids = readFileSync(join(laptop.home, 'pids'), 'utf8').trim().split('\n');
  process.kill(Number(pids.at(-1)), 'SIGKILL');
  await asking.until('lost the connection to the host');
  await asking.until('reconnected to the host');
  const [waiting] = jsonLines((await run('hosts', 'list', '--json')).out);
  expect(waiting).toMatchObject({ name: 'build', state: 'online', sessionCount: 2, running: [{}] });
  asking.kill('SIGINT');
  expect((await asking.ended).code).toBe(130);

  const [session] = jsonLines((await run('sessions', '--json')).out);
  const shown = await run('sessions', 'show', String(session?.['resource']));
  expect(shown).toMatchObject({ code: 0, err: 'on build\n' });
  for (const pid of readFileSync(join(laptop.home, 'pids'), 'utf8').trim().split('\n'))
    expect(() => process.kill(Number(pid), 0), 'the tunnel ends with its command').toThrow('ESRCH');
});

test.runIf(hasSshd)(
  'a real sshd: sign-in by key, a data folder of its own, TLS of the host, a forwarded port for the page',
  async () => {
    const port = await sshd();
    await build.serve('--tls', '--data', join(build.home, 'other data'));
    const command = `env ${buildEnvironment()} agenthost`;
    const address = `ssh://${userInfo().username}@127.0.0.1:${port}`;
    const added = await run(
      'hosts',
      'add',
      'build',
      address,
      '--command',
      command,
      '--data',
      `${build.home}/other data`,
    );
    expect(added).toMatchObject({ code: 0, err: expect.stringContaining('added build, agenthost ') });
    expect(await run('run', '--host', 'build', 'say hello')).toMatchObject({ code: 0 });
    const printed = await run(
      'term',
      'run',
      '--host',
      'build',
      '--cwd',
      build.home,
      '--',
      'seq',
      '1',
      '30000',
    );
    expect(printed.code).toBe(0);
    expect(printed.out.trimEnd().split('\n')).toHaveLength(30_000);
    const opening = laptop.start(['hosts', 'open', 'build', '--json'], env());
    await opening.until('}\n');
    const [place] = jsonLines(opening.out);
    expect(JSON.stringify(place)).not.toContain('token');
    const { certificateAt } = await import('@agenthost/client/pinned');
    expect(await certificateAt(String(place?.['url']))).toMatchObject({ isTrusted: false });
    const children = readFileSync(`/proc/${opening.pid}/task/${opening.pid}/children`, 'utf8')
      .trim()
      .split(' ');
    for (const pid of children) process.kill(Number(pid), 'SIGKILL');
    await opening.until('connected to build again');
    expect(await certificateAt(String(place?.['url']))).toMatchObject({ isTrusted: false });
    opening.kill('SIGINT');
    expect((await opening.ended).code).toBe(130);
    const stranger = await run('sessions', '--url', `ssh://nobody-here@127.0.0.1:${port}`);
    expect(stranger).toMatchObject({
      code: 4,
      err: expect.stringContaining('ssh could not sign in to nobody-here@'),
    });
  },
);

/** Starts an sshd of this user with keys of its own; the port that it listens on. */
async function sshd(): Promise<number> {
  const at = (name: string): string => join(laptop.home, name);
  for (const name of ['host-key', 'key']) {
    const made = spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)]);
    expect(made.status, String(made.stderr)).toBe(0);
  }
  // Required by an sshd that root starts; its service makes it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const port = await freePort();
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${at('host-key')}`,
    `AuthorizedKeysFile ${at('key.pub')}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'PidFile none',
  ];
  writeFileSync(at('sshd_config'), `${lines.join('\n')}\n`);
  const server = spawn(SSHD, ['-D', '-e', '-f', at('sshd_config')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  const ended = new Promise((resolve) => server.once('close', resolve));
  ends.push(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk: Buffer) => {
      said += String(chunk);
      if (said.includes('Server listening')) resolve();
    });
    server.once('close', () => reject(new Error(`sshd ended: ${said}`)));
  });
  ssh(
    `exec /usr/bin/ssh -F none -i ${at('key')} -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=${at('known')} -o LogLevel=ERROR "$@"`,
  );
  return port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
