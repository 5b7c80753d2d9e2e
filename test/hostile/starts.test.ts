import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { canMount, refusal, smallDisk, temporaryFolder } from '../faults/stage.ts';
import { HostProcess } from '../kill/host-process.ts';
import { RudeClient } from './rude-client.ts';

const ROOT = 'ahp-root://';
const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

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

/** Session state after the end of its creation. */
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

describe('missing things', () => {
  test('[SESS-1] a working directory: -32008, and the host goes on', async () => {
    const folder = await temporaryFolder();
    const host = hostOn(join(folder, 'data'), folder);
    await host.start();
    const client = await clientOf(host);
    const workingDirectory = pathToFileURL(join(folder, 'none')).href;
    const refused = await client.request('createSession', {
      channel: 'ahp-session:/a',
      workingDirectories: [workingDirectory],
    });
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
      expect(state).toMatchObject({ lifecycle: 'failed' });
      expect(JSON.stringify(state.creationError)).toContain('/no/such/agent');
    } else expect(created.error.message).toContain('/no/such/agent');
    await client.request('createSession', { channel: 'ahp-session:/d', provider: 'demo' });
    expect(await settled(client, 'ahp-session:/d')).toMatchObject({ lifecycle: 'ready' });
  }, 60_000);
});

describe('data folders', () => {
  test('one that another host holds is refused with its path, and the other host is not affected', async () => {
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

/** Files in the place of the host's own, which a start must not wait for or use. */
const STRANGE: readonly (readonly [string, (path: string) => Promise<unknown>])[] = [
  ['a named pipe', (path) => promisify(execFile)('mkfifo', [path])],
  ['a folder', (path) => mkdir(path)],
  ['a link to a device', (path) => symlink('/dev/zero', path)],
  ['a link in circles', (path) => symlink(path, path)],
  ['a file of 64 MB', (path) => writeFile(path, Buffer.alloc(64 * 1024 * 1024, 'x'))],
];

describe('a foreign file in the place of a host’s file', () => {
  test.each(STRANGE)(
    '[AUTH-1] %s as the owner’s token is refused in one line at once',
    async (_, make) => {
      const folder = await temporaryFolder();
      const dataDir = join(folder, 'data');
      await mkdir(dataDir, { mode: 0o700 });
      await make(join(dataDir, 'owner-token'));
      const message = await refusal(hostOn(dataDir, folder));
      expect(message).toContain(join(dataDir, 'owner-token'));
      expect(message).not.toMatch(/\n\s+at |was not ready within/);
      const tokenFile = join(folder, 'token');
      await make(tokenFile);
      const named = await refusal(hostOn(join(folder, 'other'), folder, ['--token-file', tokenFile]));
      expect(named).toContain(tokenFile);
      expect(named).not.toMatch(/\n\s+at |was not ready within/);
    },
    60_000,
  );

  test.each(['journal.db', 'journal.db-wal', 'seq', 'sent', 'agenthost.log', 'keepers', 'tls', 'anything'])(
    'a named pipe as %s is refused by its name at once',
    async (name) => {
      const folder = await temporaryFolder();
      const dataDir = join(folder, 'data');
      await mkdir(dataDir, { mode: 0o700 });
      await promisify(execFile)('mkfifo', [join(dataDir, name)]);
      expect(await refusal(hostOn(dataDir, folder))).toContain(`${join(dataDir, name)} is a named pipe`);
    },
    60_000,
  );

  test('[AUTH-1] a folder that others can write becomes private, gets a new token, and the host reports that', async () => {
    const folder = await temporaryFolder();
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    await chmod(dataDir, 0o777);
    const planted = 'a-token-that-somebody-else-knows';
    await writeFile(join(dataDir, 'owner-token'), planted, { mode: 0o600 });
    const host = hostOn(dataDir, folder);
    const { token, url } = await host.start();
    expect(token).not.toBe(planted);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    expect(host.errors).toContain(`the data folder ${dataDir} could be written by others until now`);
    const { status } = await fetch(`${url}/?token=${planted}`);
    expect(status).toBe(401);
  }, 60_000);

  test.skipIf(process.getuid?.() !== 0)(
    '[AUTH-1] files of another user in the data folder are refused and not opened',
    async () => {
      const folder = await temporaryFolder();
      const dataDir = join(folder, 'data');
      await mkdir(dataDir);
      await chmod(dataDir, 0o777);
      for (const name of ['owner-token', 'journal.db']) {
        await writeFile(join(dataDir, name), 'a-token-that-somebody-else-knows', { mode: 0o600 });
        await chown(join(dataDir, name), 4_711, 4_711);
        expect(await refusal(hostOn(dataDir, folder))).toContain(
          `${join(dataDir, name)} belongs to user 4711`,
        );
        await rm(join(dataDir, name));
      }
    },
    60_000,
  );
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
    const dispatched = async (channel: string, action: object): Promise<string | undefined> => {
      dispatch(channel, action);
      const mine = clientSeq;
      await client.request('ping', { channel: ROOT });
      const echo = client.answers
        .map((answer) => JSON.parse(JSON.stringify(answer)).params)
        .find((params) => params?.origin?.clientSeq === mine);
      return echo === undefined ? 'no echo' : echo.rejectionReason;
    };
    const { result: first } = await client.request('subscribe', { channel: session });
    const { defaultChat: chat } = JSON.parse(JSON.stringify(first)).snapshot.state;
    // Random data, which no compression shrinks.
    const bulk = randomBytes(75_000).toString('base64');
    const drafted = (text: string): Promise<string | undefined> =>
      dispatched(chat, { type: 'chat/draftChanged', draft: { text, origin: { kind: 'user' } } });
    let accepted = 0;
    let refused: string | undefined;
    for (; refused === undefined && accepted < 100; accepted += 1)
      refused = await drafted(`${accepted} ${bulk}`);
    expect(refused).toMatch(/^unavailable: /);
    const draftNow = async (): Promise<string> => {
      const { result } = await client.request('subscribe', { channel: chat });
      return JSON.parse(JSON.stringify(result)).snapshot.state.draft.text;
    };
    const kept = await draftNow();
    expect(kept.startsWith(`${accepted - 2} `)).toBe(true);
    expect((await client.request('listSessions', { channel: ROOT })).error).toBeUndefined();
    const newSession = await client.request('createSession', { channel: 'ahp-session:/more' });
    expect(newSession.error?.code).toBe(-32603);
    const ready = await fetch(new URL('/readyz', host.address.url));
    expect(ready.status).toBe(503);
    await rm(ballast);
    await expect.poll(() => drafted('with room'), { timeout: 15_000, interval: 300 }).toBeUndefined();
    expect(await draftNow()).toBe('with room');
    await host.kill();
    await host.start();
    const again = await clientOf(host, 'again');
    const { result } = await again.request('subscribe', { channel: chat });
    expect(JSON.parse(JSON.stringify(result)).snapshot.state.draft.text).toBe('with room');
  }, 90_000);
});
