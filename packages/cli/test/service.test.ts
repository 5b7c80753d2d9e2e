import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const works = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;
const missing = [
  ...(works('python3', '--version') ? [] : ['python3']),
  ...(works('systemd-notify', '--version') ? [] : ['systemd-notify']),
];
if (missing.length > 0 && process.env['REQUIRE_ALL'] === '1')
  throw new Error(`not installed: ${missing.join(', ')}`);

let machine: Machine;
const children: ChildProcess[] = [];
beforeEach(() => {
  machine = new Machine({ SHELL: '/bin/sh' });
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended;
  }
  await machine.dispose();
});

/** Puts a program on PATH that writes its arguments to `calls` and then runs `script`. */
function program(name: string, script = ''): void {
  const bin = join(machine.home, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >> ${machine.home}/calls\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

const calls = (): string[] => readFileSync(join(machine.home, 'calls'), 'utf8').trim().split('\n');
const env = (): Record<string, string> => ({ PATH: `${machine.home}/bin:/usr/bin:/bin` });
const unitFile = (): string => join(machine.home, '.config/systemd/user/agenthost.service');
const environmentFile = (): string => join(machine.home, '.config/agenthost/service.env');

/** The words of a line of a unit, as systemd reads them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"((?:\\.|[^"\\])*)"|(\S+)/g)].map(([, quoted, plain = '']) =>
    (quoted ?? plain).replace(/\\(.)/g, '$1').replaceAll('%%', '%').replaceAll('$$', '$'),
  );

/** Runs the unit as systemd would: its command, with its environment and a socket for notifications. */
function supervise() {
  const lines = readFileSync(unitFile(), 'utf8').split('\n');
  const valuesOf = (key: string): string[] =>
    lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));
  const [file = '', ...args] = wordsOf(valuesOf('ExecStart')[0] ?? '');
  const variables = [...valuesOf('Environment'), ...readFileSync(environmentFile(), 'utf8').split('\n')]
    .filter((line) => line.includes('='))
    .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])
    .map(([name, value]): [string, string] => [name, wordsOf(value)[0] ?? '']);
  const socket = join(machine.home, 'notify');
  const receiver = `import socket,sys
s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM);s.bind(sys.argv[1]);print("bound",flush=True)
while True: print(s.recv(4096).decode(),flush=True)`;
  const told = spawn('python3', ['-c', receiver, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(told);
  let text = '';
  let wake = (): void => undefined;
  told.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    wake();
  });
  const until = async (expected: string): Promise<void> => {
    while (!text.includes(expected)) await new Promise<void>((resolve) => (wake = resolve));
  };
  const start = (): ChildProcess => {
    const host = spawn(file, args, {
      cwd: machine.home,
      env: { HOME: machine.home, ...Object.fromEntries(variables), NOTIFY_SOCKET: socket },
      stdio: 'ignore',
    });
    children.push(host);
    return host;
  };
  return { until, start, told: () => text };
}

test.skipIf(missing.length > 0)(
  'a unit of systemd runs a host with the environment of the login shell, which tells systemd how it is',
  async () => {
    program('systemctl');
    program('loginctl', 'echo Linger=no');
    writeFileSync(
      join(machine.home, '.profile'),
      `export PATH="${machine.home}/login:$PATH" FOO_API_KEY=f\n`,
    );
    const installed = await machine.run(
      ['service', 'install', '--port', '0', '--root', '.', '--env', 'GREETING=say "hi" $HOME'],
      env(),
    );
    expect(installed.code).toBe(0);
    expect(installed.err).toContain('`loginctl enable-linger` starts it with the machine');
    expect(installed.err).toContain('the service does not get FOO_API_KEY; --env passes one on');
    expect(calls().filter((call) => call.startsWith('systemctl'))).toEqual([
      'systemctl --user daemon-reload',
      'systemctl --user enable agenthost.service',
      'systemctl --user restart agenthost.service',
    ]);
    expect(statSync(environmentFile()).mode & 0o777).toBe(0o600);
    const variables = readFileSync(environmentFile(), 'utf8');
    expect(variables).toMatch(new RegExp(`^PATH="${machine.home}/login:`, 'm'));
    expect(variables).not.toContain('FOO_API_KEY');

    const { until, start, told } = supervise();
    await until('bound');
    const host = start();
    await until('READY=1');
    expect(told()).toMatch(/STATUS=on http:\/\/127\.0\.0\.1:\d+/);
    const [state] = jsonLines((await machine.run(['status', '--json', '--no-update-check'])).out);
    expect(state).toMatchObject({ pid: host.pid, service: 'agenthost.service' });
    const refused = await machine.run(['restart']);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('is the service agenthost.service: use `agenthost service restart`');
    const { out } = await machine.run(['run', '!env']);
    expect(out).toContain('GREETING=say "hi" $HOME');
    expect(out).not.toMatch(/NOTIFY_SOCKET|AGENTHOST_SERVICE|WATCHDOG/);
    const ended = new Promise((resolve) => host.once('exit', (code) => resolve(code)));
    host.kill('SIGTERM');
    await until('STOPPING=1');
    expect(await ended).toBe(0);
  },
);

test('service tells its state, shows its output and removes its files', async () => {
  program('systemctl', 'case "$*" in *show*) cat "$HOME/state";; esac');
  program('loginctl', 'echo Linger=yes');
  program('journalctl', 'echo a line');
  const state = (active: string, sub: string): void =>
    writeFileSync(
      join(machine.home, 'state'),
      `ActiveState=${active}\nSubState=${sub}\nMainPID=42\nStatusText=on http://127.0.0.1:1\nUnitFileState=enabled\n`,
    );
  state('active', 'running');
  for (const deed of ['start', 'stop', 'restart', 'uninstall'])
    expect(await machine.run(['service', deed], env())).toMatchObject({
      code: 4,
      err: expect.stringContaining('the service is not installed: `'),
    });
  const printed = await machine.run(['service', 'install', '--print'], env());
  expect(printed.out).toMatch(/^\[Unit\]\n[^]*TimeoutStopSec=120\n/);
  expect(existsSync(unitFile())).toBe(false);
  const installed = await machine.run(['service', 'install', '--json'], env());
  expect(jsonLines(installed.out)).toEqual([
    {
      service: 'agenthost.service',
      isInstalled: true,
      isRunning: true,
      state: 'active (running)',
      startsByItself: true,
      pid: 42,
      statusText: 'on http://127.0.0.1:1',
    },
  ]);
  expect(installed.err).not.toContain('linger');
  expect((await machine.run(['service', 'status'], env())).out).toContain(
    'agenthost.service: active (running)',
  );
  state('failed', 'failed');
  expect((await machine.run(['service', 'status'], env())).code).toBe(4);
  expect((await machine.run(['service', 'logs', '--lines', '5', '--follow'], env())).out).toBe('a line\n');
  expect(calls().at(-1)).toBe('journalctl --user --unit agenthost.service --lines 5 --follow');
  expect((await machine.run(['service', 'uninstall'], env())).code).toBe(0);
  expect([existsSync(unitFile()), existsSync(environmentFile())]).toEqual([false, false]);
});

test('service install refuses a data folder in use, and tells what systemd says', async () => {
  program('systemctl', 'echo "Failed to connect to bus: No medium found" >&2; exit 1');
  const failed = await machine.run(['service', 'install'], env());
  expect(failed.code).toBe(1);
  expect(failed.err).toContain(
    'but the service does not run: `systemctl --user daemon-reload` failed: Failed to connect to bus',
  );
  await machine.serve();
  const refused = await machine.run(['service', 'install'], env());
  expect(refused.err).toContain('a host has the data folder already');
});
