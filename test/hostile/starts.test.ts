import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { canMount, refusal, smallDisk, temporaryFolder } from '../faults/stage.ts';
import { HostProcess } from '../kill/host-process.ts';
import { RudeClient } from './rude-client.ts';

const ROOT = 'ahp-root://';
const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
}, 30_000);

function hostOn(dataDir: string, root: string, extra: readonly string[] = []): HostProcess {
  const host = new HostProcess(dataDir, root, extra);
  ends.push(() => host.stop());
  return host;
}

async function clientOf(host: HostProcess, name = 'client'): Promise<RudeClient> {
  const client = await RudeClient.connect(host.address);
  ends.push(() => client.close());
  await client.initialize(name);
  return client;
}

/** Session state once its creation is over. */
async function settled(
  client: RudeClient,
  session: string,
): Promise<{ lifecycle: string; creationError?: object }> {
  for (;;) {
    const { result } = await client.request('subscribe', { channel: session });
    const { state } = JSON.parse(JSON.stringify(result)).snapshot;
    if (state.lifecycle !== 'creating') return state;
  }
}

describe('what does not exist', () => {
  test('[SESS-1] a working directory: -32008, and the host goes on', async () => {
    const folder = await temporaryFolder();
    const host = hostOn(join(folder, 'data'), folder);
    await host.start();
    const client = await clientOf(host);
    const workingDirectory = pathToFileURL(join(folder, 'none')).href;
    const refused = await client.request('createSession', { channel: 'ahp-session:/a', workingDirectory });
    expect(refused.error).toMatchObject({ code: -32008, message: expect.stringContaining('none') });
    expect((await client.request('createSession', { channel: 'ahp-session:/a' })).error).toBeUndefined();
  }, 60_000);

  test('[SESS-2] an agent’s command: creation fails and says which, and other agents work', async () => {
    const folder = await temporaryFolder();
    const config = join(folder, 'agenthost.json');
    await writeFile(
      config,
      JSON.stringify({ agents: { ghost: { displayName: 'Ghost', command: '/no/such/agent' } } }),
    );
    const host = hostOn(join(folder, 'data'), folder, ['--config', config]);
    await host.start();
    const client = await clientOf(host);
    const created = await client.request('createSession', { channel: 'ahp-session:/g', provider: 'ghost' });
    if (created.error === undefined) {
      const state = await settled(client, 'ahp-session:/g');
      expect(state).toMatchObject({ lifecycle: 'creationFailed' });
      expect(JSON.stringify(state.creationError)).toContain('/no/such/agent');
    } else expect(created.error.message).toContain('/no/such/agent');
    await client.request('createSession', { channel: 'ahp-session:/d', provider: 'demo' });
    expect(await settled(client, 'ahp-session:/d')).toMatchObject({ lifecycle: 'ready' });
  }, 60_000);
});

describe('data folders', () => {
  test('one that another host holds is refused with its path, and the other host does not notice', async () => {
    const folder = await temporaryFolder();
    const dataDir = join(folder, 'data');
    const first = hostOn(dataDir, folder);
    await first.start();
    const client = await clientOf(first);
    const message = await refusal(hostOn(dataDir, folder));
    expect(message).toContain(dataDir);
    expect(message).toMatch(/in use|another host/i);
    expect(message).not.toMatch(/\n\s+at /);
    expect((await client.request('createSession', { channel: 'ahp-session:/a' })).error).toBeUndefined();
  }, 60_000);

  test('one that is a file is refused in one line', async () => {
    const folder = await temporaryFolder();
    const dataDir = join(folder, 'data');
    await writeFile(dataDir, 'a file');
    const message = await refusal(hostOn(dataDir, folder));
    expect(message).toContain(dataDir);
    expect(message).not.toMatch(/\n\s+at /);
  }, 60_000);
});

describe.skipIf(!canMount)('a disk', () => {
  test('that is read-only is refused with the folder’s path, in one line', async () => {
    const folder = await temporaryFolder();
    const disk = join(folder, 'disk');
    await mkdir(disk);
    smallDisk(disk, '3m');
    expect(spawnSync('mount', ['-o', 'remount,ro', disk]).status).toBe(0);
    const message = await refusal(hostOn(join(disk, 'data'), folder));
    expect(message).toContain(disk);
    expect(message).toMatch(/read-only|cannot be written/i);
    expect(message).not.toMatch(/\n\s+at /);
  }, 60_000);

  test('that is full: new work is refused, reads go on, nothing is lost, and with room the work goes on', async () => {
    const folder = await temporaryFolder();
    const disk = join(folder, 'disk');
    await mkdir(disk);
    smallDisk(disk, '6m');
    const ballast = join(disk, 'ballast');
    await writeFile(ballast, Buffer.alloc(2_500_000));
    const host = hostOn(join(disk, 'data'), folder);
    await host.start();
    const client = await clientOf(host);
    const session = 'ahp-session:/full';
    await client.request('createSession', { channel: session, provider: 'demo' });
    await settled(client, session);
    let clientSeq = 0;
    const dispatch = (channel: string, action: object): void => {
      clientSeq += 1;
      client.socket.send(
        JSON.stringify({ jsonrpc: '2.0', method: 'dispatchAction', params: { channel, clientSeq, action } }),
      );
    };
    const titled = async (title: string): Promise<string | undefined> => {
      dispatch(session, { type: 'session/titleChanged', title });
      const mine = clientSeq;
      await client.request('ping', { channel: ROOT });
      const echo = client.answers
        .map((answer) => JSON.parse(JSON.stringify(answer)).params)
        .find((params) => params?.origin?.clientSeq === mine);
      return echo === undefined ? 'no echo' : echo.rejectionReason;
    };
    // What cannot be compressed.
    const bulk = randomBytes(75_000).toString('base64');
    let accepted = 0;
    let refused: string | undefined;
    for (; refused === undefined && accepted < 100; accepted += 1)
      refused = await titled(`${accepted} ${bulk}`);
    expect(refused).toMatch(/^unavailable: /);
    const titleNow = async (): Promise<string> => {
      const { result } = await client.request('subscribe', { channel: session });
      return JSON.parse(JSON.stringify(result)).snapshot.state.title;
    };
    const kept = await titleNow();
    expect(kept.startsWith(`${accepted - 2} `)).toBe(true);
    expect((await client.request('listSessions', { channel: ROOT })).error).toBeUndefined();
    const newSession = await client.request('createSession', { channel: 'ahp-session:/more' });
    expect(newSession.error?.code).toBe(-32603);
    const ready = await fetch(new URL('/readyz', host.address.url));
    expect(ready.status).toBe(503);
    await rm(ballast);
    await expect.poll(() => titled('with room'), { timeout: 15_000, interval: 300 }).toBeUndefined();
    expect(await titleNow()).toBe('with room');
    await host.kill();
    await host.start();
    const again = await clientOf(host, 'again');
    const { result } = await again.request('subscribe', { channel: session });
    expect(JSON.parse(JSON.stringify(result)).snapshot.state.title).toBe('with room');
  }, 90_000);
});
