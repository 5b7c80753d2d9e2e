import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AhpClient, connect, type SessionHandle } from '@agenthost/client';
import { errorText } from '@agenthost/protocol/values';
import { onTestFinished } from 'vitest';
import { HostProcess } from '../kill/host-process.ts';

/** A folder of the running test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-faults-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A host of the running test, not started. `through`: see `HostProcess`. */
export function hostOn(
  dataDir: string,
  root: string,
  extra: readonly string[] = [],
  through: readonly string[] = [],
): HostProcess {
  const host = new HostProcess(dataDir, root, extra, through);
  onTestFinished(() => host.kill());
  return host;
}

/** A client of the running test that comes back by itself. */
export async function clientOf(host: HostProcess, clientId: string): Promise<AhpClient> {
  const { wsUrl, token } = host.address;
  const client = await connect(wsUrl, { token, clientId, backoff: { minMs: 20, maxMs: 200 } });
  onTestFinished(() => client.close());
  return client;
}

/** Starts a host, and opens a session of the demo agent in `folder` by a client of the running test. */
export async function begin(
  host: HostProcess,
  folder: string,
): Promise<{ client: AhpClient; session: SessionHandle }> {
  await host.start();
  const client = await clientOf(host, 'client');
  const session = await client.sessions.create({
    provider: 'demo',
    workingDirectory: pathToFileURL(folder).href,
    config: { askBeforeWriting: false },
  });
  return { client, session };
}

/** What a host says that does not start; throws when it does. */
export async function refusal(host: HostProcess): Promise<string> {
  try {
    await host.start();
  } catch (error) {
    return errorText(error);
  }
  throw new Error('the host started');
}

/** A line of a host's log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** The log of a data folder. */
export async function logOf(dataDir: string): Promise<LogLine[]> {
  const text = await readFile(join(dataDir, 'agenthost.log'), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** Whether this user may mount: where not, tests that need it are skipped, but never where all have to run. */
export const canMount =
  process.env['REQUIRE_ALL'] === '1' ||
  (process.platform === 'linux' &&
    spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' }).status === 0);

if (!canMount) process.stdout.write('skipped: disks that are full or read-only (needs the right to mount)\n');

/** Runs `mount`; throws what it says when it fails. */
export function mount(...args: string[]): void {
  const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mount ${args.join(' ')}: ${stderr}`);
}

/** A disk of its own at `folder`, gone when the test is over. `size`: as `mount` takes it. */
export function smallDisk(folder: string, size: string): void {
  mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder);
  onTestFinished(() => {
    spawnSync('umount', ['-l', folder]);
  });
}
