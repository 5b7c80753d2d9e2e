import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { Launchd } from './launchd.ts';

/** Keeps the state of the job in a file. A job that is booted out stays for two looks, as one whose host waits for its turns. */
const LAUNCHCTL = `#!/bin/sh
cd "$FAKE" || exit 1
echo "$1" >> calls
case "$1" in
print)
  [ -f job ] || exit 113
  cat job
  if [ -f leaving2 ]; then rm leaving2; elif [ -f leaving ]; then rm leaving job; fi;;
bootout)
  [ -f job ] || exit 3
  touch leaving leaving2
  echo "Boot-out failed: 36: Operation now in progress" >&2; exit 36;;
bootstrap)
  [ -f job ] && { echo "Bootstrap failed: 5: Input/output error" >&2; exit 5; }
  [ -d "$LOGS" ] || exit 78
  printf '\tstate = running\n\tpid = 42\n' > job;;
esac
`;

let fake: string;
let context: FakeContext;
let launchd: Launchd;
beforeEach(() => {
  fake = mkdtempSync(join(tmpdir(), 'agenthost-launchd-'));
  writeFileSync(join(fake, 'launchctl'), LAUNCHCTL);
  chmodSync(join(fake, 'launchctl'), 0o755);
  context = new FakeContext();
  Object.assign(context, { home: join(fake, 'home'), platform: 'darwin' });
  const logs = join(fake, 'home/Library/Application Support/agenthost');
  context.env = { PATH: `${fake}:/usr/bin:/bin`, FAKE: fake, LOGS: logs };
  launchd = new Launchd(context, false);
});
afterEach(() => rmSync(fake, { recursive: true, force: true }));

const facts = { command: ['/node', '/agenthost.js', 'serve'], variables: { PATH: '/bin' }, drainSeconds: 5 };
const job = (): string => join(fake, 'job');
const plist = (): string => join(fake, 'home/Library/LaunchAgents/agenthost.plist');

/** Calls since the last time, without looks. */
function deeds(): string[] {
  const calls = readFileSync(join(fake, 'calls'), 'utf8').trim().split('\n');
  rmSync(join(fake, 'calls'));
  return calls.filter((call) => call !== 'print');
}

test('a job is loaded once its folder of logs is there, and a restart waits until it has ended', async () => {
  await expect(launchd.start(context)).rejects.toMatchObject({ exitCode: 4 });
  await launchd.install(context, facts);
  expect(deeds()).toEqual(['bootstrap']);
  expect(statSync(context.env['LOGS'] ?? '').mode & 0o777).toBe(0o700);
  expect(statSync(plist()).mode & 0o777).toBe(0o600);
  expect(await launchd.state(context)).toMatchObject({ isInstalled: true, isRunning: true, pid: 42 });
  await launchd.start(context);
  deeds();
  const log = join(context.env['LOGS'] ?? '', 'serve.log');
  writeFileSync(log, 'a line\n'.repeat(200_000));
  await launchd.restart(context);
  expect(deeds()).toEqual(['bootout', 'bootstrap']);
  expect([existsSync(log), existsSync(`${log}.1`)]).toEqual([false, true]);
  await launchd.install(context, facts);
  expect(deeds()).toEqual(['bootout', 'bootstrap']);
  await launchd.stop(context);
  expect(existsSync(job())).toBe(false);
  await launchd.stop(context);
  expect(deeds()).toEqual(['bootout']);
});

test('a job that fails again and again is removed too, though it does not run', async () => {
  await launchd.install(context, facts);
  for (const deed of ['stop', 'uninstall'] as const) {
    writeFileSync(job(), '\tstate = spawn scheduled\n\tlast exit code = 1\n');
    expect(await launchd.state(context)).toMatchObject({ isRunning: false, state: 'spawn scheduled' });
    deeds();
    await launchd[deed](context);
    expect([deeds(), existsSync(job())]).toEqual([['bootout'], false]);
  }
  expect(existsSync(plist())).toBe(false);
  expect(await launchd.state(context)).toMatchObject({ isInstalled: false, state: 'not loaded' });
  expect(() => new Launchd(context, true)).toThrow('--system is for systemd');
});
