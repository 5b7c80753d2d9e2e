import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AhpClient, connect, type SessionHandle } from '@agenthost/client';
import { errorText } from '@agenthost/protocol/values';
import { onTestFinished } from 'vitest';
import { HostProcess } from '../kill/host-process.ts';
import { removeFolder } from '../remove-folder.ts';

/** A folder that is removed when the running test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-faults-')));
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** A host that is stopped when the running test ends, not started yet. See `HostProcess` for `through`. */
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

/** A client that reconnects by itself and is closed when the running test ends. */
export async function clientOf(host: HostProcess, clientId: string): Promise<AhpClient> {
  const { wsUrl, token } = host.address;
  const client = await connect(wsUrl, { token, clientId, backoff: { minMs: 20, maxMs: 200 } });
  onTestFinished(() => client.close());
  return client;
}

/** Starts a host, and opens a session of the demo agent in `folder`. */
export async function begin(
  host: HostProcess,
  folder: string,
): Promise<{ client: AhpClient; session: SessionHandle }> {
  await host.start();
  const client = await clientOf(host, 'client');
  const session = await client.sessions.create({
    provider: 'demo',
    workingDirectories: [pathToFileURL(folder).href],
    config: { askBeforeWriting: false },
  });
  return { client, session };
}

/** Output of a host that fails to start. Throws when it starts. */
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

/** Whether this user may mount file systems. If not, tests that mount are skipped, except where all tests must run. */
export const canMount =
  process.env['REQUIRE_ALL'] === '1' ||
  (process.platform === 'linux' &&
    spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' }).status === 0);

if (!canMount) process.stdout.write('skipped: disks that are full or read-only (needs the right to mount)\n');

/** Runs `mount`. Throws its output when it fails. */
export function mount(...args: string[]): void {
  const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mount ${args.join(' ')}: ${stderr}`);
}

/** Mounts a disk at `folder` until the test ends. `size` has the format of `mount`. */
export function smallDisk(folder: string, size: string): void {
  mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder);
  onTestFinished(() => {
    spawnSync('umount', ['-l', folder]);
  });
}
