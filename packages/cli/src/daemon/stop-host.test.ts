import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { type HostRecord, processStart } from '../host-link/discovery.ts';
import { markStopping, readStopMark } from '../host-link/stop-mark.ts';
import { hostsFolder } from '../process/files.ts';
import { Screen } from '../render/screen.ts';
import { stopHost } from './stop-host.ts';

/** A process in the place of a host: prints each signal, and ends when its input does. Nobody listens at its address. */
const STAND_IN = `
process.on('SIGTERM', () => console.log('SIGTERM'));
process.stdin.on('end', () => process.exit(0)).resume();
console.log('ready');
`;

async function setUp(...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-stop-'));
  const child: ChildProcess = spawn(process.execPath, ['-e', STAND_IN], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  let said = '';
  let wake = (): void => undefined;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    wake();
  });
  const until = async (text: string): Promise<void> => {
    while (!said.includes(text)) await new Promise<void>((resolve) => (wake = resolve));
  };
  await until('ready');
  const context = new FakeContext();
  context.env = { XDG_STATE_HOME: folder };
  const pid = child.pid ?? 0;
  const host: HostRecord = {
    pid,
    processStart: (await processStart(pid)) ?? '',
    machine: 'm',
    url: 'http://127.0.0.1:1',
    wsUrl: 'ws://127.0.0.1:1/ahp',
    token: 'owner',
    dataDir: folder,
    version: '0.1.0',
    startedAt: '2026-01-01T00:00:00.000Z',
    args,
  };
  const marks = hostsFolder(context);
  // A record makes the folder.
  mkdirSync(marks, { recursive: true });
  return {
    context,
    host,
    marks,
    until,
    said: () => said,
    end: () => child.stdin?.end(),
    stop: (drainSeconds?: number) => stopHost(context, new Screen(context), host, drainSeconds),
  };
}

test('a stop with --drain 0 tells the host not to wait as its own --drain says', async () => {
  const { host, marks, until, end, stop } = await setUp('--drain', '600');
  const stopping = stop(0);
  await until('SIGTERM');
  expect(readStopMark(marks, host.pid)).toBe('drained');
  end();
  await stopping;
  expect(readdirSync(marks)).toEqual([]);
});

test('several stops send one signal; one with --drain 0 sends a second to a host that waits', async () => {
  const { context, host, marks, until, said, end, stop } = await setUp('--drain', '600');
  // Nobody answers at its address, so the host waits itself.
  const first = stop();
  await until('SIGTERM');
  expect(context.err).toContain('cannot ask the host to finish its turns');
  expect(readStopMark(marks, host.pid)).toBe('waiting');
  const others = [stop(), stop()];
  await expect.poll(() => context.err.match(/is already stopping/g), { timeout: 60_000 }).toHaveLength(2);
  const cut = stop(0);
  await until('SIGTERM\nSIGTERM');
  end();
  await Promise.all([first, ...others, cut]);
  expect(said()).toBe('ready\nSIGTERM\nSIGTERM\n');
  expect(readdirSync(marks)).toEqual([]);
});

test('a host that another command has waited for gets no second signal', async () => {
  const { host, marks, said, end, stop } = await setUp();
  markStopping(marks, host.pid, 'drained');
  const stops = [stop(), stop(0), stop(5)];
  end();
  await Promise.all(stops);
  expect(said()).toBe('ready\n');
});
