import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { environmentFile, loginEnvironment, serviceEnvironment } from './environment.ts';
import { launchdPlist } from './launchd-plist.ts';
import { systemdUnit } from './systemd-unit.ts';

const analyze = (args: readonly string[], folder = '/') =>
  spawnSync('systemd-analyze', args, {
    encoding: 'utf8',
    // The user's manager keeps its files there.
    env: { ...process.env, XDG_RUNTIME_DIR: folder },
  });
const canVerify = analyze(['--version']).status === 0;
if (!canVerify && process.env['REQUIRE_ALL'] === '1') throw new Error('systemd-analyze is not installed');

const facts = {
  unit: 'agenthost.service',
  command: [process.execPath, '/opt/my programs/agent"host.js', 'serve', '--root', '/a$HOME/100%', ''],
  environmentFile: '/home/me/.config/agenthost/service.env',
  drainSeconds: 90.5,
};

test('a systemd unit waits for the drain, leaves keepers alone, and takes its words as they are', () => {
  const unit = systemdUnit(facts);
  expect(unit).toContain(
    `ExecStart=${process.execPath} "/opt/my programs/agent\\"host.js" serve --root /a$$HOME/100%% ""\n`,
  );
  for (const line of [
    'Type=notify',
    'KillMode=process',
    'TimeoutStartSec=infinity',
    'TimeoutStopSec=151',
    'Restart=on-failure',
    'RestartSec=5',
    'StartLimitIntervalSec=0',
  ])
    expect(unit.split('\n')).toContain(line);
  expect(unit, 'agents and terminals would inherit it').not.toContain('NO_COLOR');
  expect(unit).toContain('WantedBy=default.target');
  expect(unit).not.toContain('User=');
  expect(systemdUnit({ ...facts, user: 'agenthost' })).toContain(
    'User=agenthost\nStateDirectory=agenthost\n',
  );
});

test('an argument or a path with a line break or another control character is refused', () => {
  const refusal = 'no arguments or paths with line breaks or other control characters, got';
  const command = ['/usr/bin/node', 'serve', '--label', 'x\nRestart=no'];
  expect(() => systemdUnit({ ...facts, command })).toThrow(`${refusal} "x\\nRestart=no"`);
  expect(() => systemdUnit({ ...facts, environmentFile: '/a\rb' })).toThrow(refusal);
  const job = {
    label: 'agenthost',
    environment: {},
    workingDirectory: '/',
    logFile: '/log',
    drainSeconds: 0,
  };
  expect(() => launchdPlist({ ...job, command: ['\u001b'] })).toThrow(refusal);
});

test.skipIf(!canVerify)('systemd-analyze verifies both units', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-unit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [mode, user] of [
    ['--user', undefined],
    ['--system', 'root'],
  ] as const) {
    const file = join(folder, 'agenthost.service');
    writeFileSync(file, systemdUnit({ ...facts, ...(user === undefined ? {} : { user }) }));
    const { stderr, status } = analyze(['verify', mode, '--man=no', file], folder);
    expect(stderr.split('\n').filter((line) => line.includes('agenthost.service'))).toEqual([]);
    expect(status).toBe(0);
  }
});

test('a launchd job has the environment, waits for the drain, and starts again after a failure', () => {
  const plist = launchdPlist({
    label: 'agenthost',
    command: ['/usr/bin/node', 'serve', '--root', '/a & <b>'],
    environment: { PATH: '/bin' },
    workingDirectory: '/Users/me',
    logFile: '/Users/me/serve.log',
    drainSeconds: 60,
  });
  expect(plist).toContain('<string>/a &amp; &lt;b&gt;</string></array>');
  expect(plist).toContain(
    '<dict>\n<key>PATH</key><string>/bin</string>\n<key>AGENTHOST_SERVICE</key><string>agenthost</string>\n</dict>',
  );
  expect(plist).toContain('<key>ExitTimeOut</key><integer>120</integer>');
  expect(plist).toContain('<key>KeepAlive</key><dict>\n<key>SuccessfulExit</key><false/>\n</dict>');
  expect(plist).toContain('<key>AbandonProcessGroup</key><true/>');
});

test('a service gets chosen variables only, and keys of agents only when asked for', () => {
  const login = { PATH: '/login', LANG: 'de_DE.UTF-8', SECRET: 's', X_API_KEY: 'k', OPENAI_API_KEY: 'o' };
  const own = {
    PATH: '/own',
    XDG_STATE_HOME: '/state',
    MY_AUTH_TOKEN: 't',
    AGENTHOST_TOKEN: 'a token, perhaps of a client',
    AGENTHOST_JOURNAL_PASSWORD: 'p',
    PGPASSWORD: '',
  };
  expect(serviceEnvironment(login, own, ['OPENAI_API_KEY', 'A=b=c'])).toEqual({
    variables: {
      PATH: '/login',
      LANG: 'de_DE.UTF-8',
      XDG_STATE_HOME: '/state',
      OPENAI_API_KEY: 'o',
      A: 'b=c',
    },
    leftOut: ['AGENTHOST_JOURNAL_PASSWORD', 'AGENTHOST_TOKEN', 'MY_AUTH_TOKEN', 'X_API_KEY'],
  });
  const wanted = serviceEnvironment(login, own, ['AGENTHOST_JOURNAL_PASSWORD']);
  expect(wanted.variables['AGENTHOST_JOURNAL_PASSWORD']).toBe('p');
  expect(wanted.leftOut).not.toContain('AGENTHOST_JOURNAL_PASSWORD');
  expect(() => serviceEnvironment(login, own, ['NOBODY'])).toThrow('--env NOBODY: the variable is not set');
  expect(() => serviceEnvironment(login, own, ['a b'])).toThrow('expected NAME or NAME=value, got a b');
  expect(() => serviceEnvironment(login, own, ['A=b\nB=c'])).toThrow('no values with line breaks');
});

test('the environment of a login shell has what its start-up files set, whatever they print', async () => {
  const home = mkdtempSync(join(tmpdir(), 'agenthost-login-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(
    join(home, '.profile'),
    'echo "PATH=/fooled"\nexport PATH="$HOME/bin:$PATH"\nexport TWO="a\nb"\nsleep 3 &\n',
  );
  const { PATH, TWO } = await loginEnvironment('/bin/sh', { HOME: home, PATH: '/usr/bin:/bin' }, home);
  expect(PATH).toMatch(new RegExp(`^${home}/bin:`));
  expect(TWO).toBe('a\nb');
  const broken = join(home, 'broken');
  writeFileSync(broken, '#!/bin/sh\nexit 1\n');
  chmodSync(broken, 0o755);
  await expect(loginEnvironment(broken, {}, home)).rejects.toThrow('printed no environment');
  await expect(loginEnvironment(join(home, 'none'), {}, home)).rejects.toThrow('ENOENT');
});

test('an environment file means to a shell what it means to systemd', () => {
  const values = { A: 'a "b" $HOME `id` \\', B: "it's" };
  const script = `${environmentFile(values)}printf '%s|%s' "$A" "$B"`;
  expect(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' })).toBe(`${values.A}|${values.B}`);
});
