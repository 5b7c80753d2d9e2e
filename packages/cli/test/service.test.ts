import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askingTurn } from './asking-turn.ts';
import { jsonLines, Machine } from './cli-process.ts';

const works = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;
const missing = [
  ...(works('python3', '--version') ? [] : ['python3']),
  ...(works('systemd-notify', '--version') ? [] : ['systemd-notify']),
  ...(works('systemd-analyze', '--version') ? [] : ['systemd-analyze']),
];
if (missing.length > 0) process.stderr.write(`skipped: tests of units need ${missing.join(', ')}\n`);
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
  /** Resolves when the socket got this text so many times. */
  const until = async (expected: string, count = 1): Promise<void> => {
    while (text.split(expected).length <= count) await new Promise<void>((resolve) => (wake = resolve));
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
  /** `Restart=on-failure`. Calls back with each host that it starts. */
  const keepRunning = (onStart: (host: ChildProcess) => void): void => {
    const host = start();
    host.once('exit', (code) => {
      if (code !== 0 && code !== 2 && children.includes(host)) keepRunning(onStart);
    });
    onStart(host);
  };
  return { until, start, keepRunning, told: () => text };
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
    expect(installed.err).toContain('`loginctl enable-linger` starts it at boot');
    expect(installed.err).toContain('the service does not get FOO_API_KEY; --env NAME passes a variable');
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
  300_000,
);

test.skipIf(missing.length > 0)('systemd finds no fault in the units', async () => {
  for (const options of [[], ['--system', '--drain', '3.5', '--set', 'a b=$c%d"e']]) {
    const { out } = await machine.run(['service', 'install', '--print', ...options], env());
    const folder = join(machine.home, `unit-${options.length}`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'agenthost.service'), out);
    const whose = options.length === 0 ? ['--user'] : [];
    const unit = join(folder, 'agenthost.service');
    const checked = spawnSync('systemd-analyze', ['verify', '--man=no', ...whose, unit], {
      env: { PATH: '/usr/bin:/bin', XDG_RUNTIME_DIR: folder },
      encoding: 'utf8',
    });
    expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, '', '']);
  }
});

test.skipIf(missing.length > 0)(
  'under a supervisor, a host is back after a crash with its sessions, and a restart waits for the turn that runs',
  async () => {
    program('systemctl');
    await machine.run(['service', 'install', '--port', '0', '--root', '.', '--drain', '600'], env());
    const { until, keepRunning, told } = supervise();
    await until('bound');
    let host: ChildProcess | undefined;
    keepRunning((next) => {
      host = next;
    });
    await until('READY=1');
    expect((await machine.run(['run', 'say hello'])).out).toBe('hello\n');
    const first = host;
    first?.kill('SIGKILL');
    await until('READY=1', 2);
    const [state] = jsonLines((await machine.run(['status', '--json', '--no-update-check'])).out);
    expect(state).toMatchObject({ pid: host?.pid, service: 'agenthost.service', sessionCount: 1 });
    expect(host?.pid).not.toBe(first?.pid);

    // `systemctl restart`: a signal, the end, the next start.
    const { approveAndEnd, client } = await askingTurn(machine);
    const ended = new Promise((resolve) => host?.once('exit', (code) => resolve(code)));
    host?.kill('SIGTERM');
    await until('STATUS=waiting for running turns');
    expect(host?.exitCode).toBeNull();
    expect(await approveAndEnd()).toBe('complete');
    client.close();
    expect(await ended).toBe(0);
    expect(told().match(/STOPPING=1/g)).toHaveLength(1);
    keepRunning((next) => {
      host = next;
    });
    await until('READY=1', 3);
    const listed = jsonLines((await machine.run(['sessions', '--json'])).out);
    expect(listed).toHaveLength(2);
  },
  300_000,
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
  expect(await machine.run(['service', 'install', '--print', '--env', 'A B=1'], env())).toMatchObject({
    code: 2,
    out: '',
    err: 'agenthost: --env: expected NAME or NAME=value, got A B=1\n',
  });
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
  expect(await machine.run(['service', 'logs'], env())).toMatchObject({
    code: 4,
    err: expect.stringContaining('the service is not installed'),
  });
});

test('service install refuses a data folder in use, tells what systemd says, and can be taken back without systemd', async () => {
  program('systemctl', 'echo "Failed to connect to bus: No medium found" >&2; exit 1');
  const failed = await machine.run(['service', 'install'], env());
  expect(failed.code).toBe(1);
  expect(failed.err).toContain(
    'but the service does not run: `systemctl --user daemon-reload` failed: Failed to connect to bus',
  );
  const removed = await machine.run(['service', 'uninstall'], env());
  expect(removed.code).toBe(1);
  expect(removed.err).toContain('but `systemctl --user disable --now agenthost.service` failed: Failed to');
  expect([existsSync(unitFile()), existsSync(environmentFile())]).toEqual([false, false]);
  await machine.serve();
  const refused = await machine.run(['service', 'install'], env());
  expect(refused.err).toContain('a host already uses the data folder');
});
