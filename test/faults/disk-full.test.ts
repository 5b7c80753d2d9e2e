import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { contentText } from '@agenthost/client';
import type { TerminalContentPart } from '@agenthost/protocol';
import { describe, expect, test, vi } from 'vitest';
import type { HostProcess } from '../kill/host-process.ts';
import { callsOf, quickly, seen, shows } from '../terminals/stage.ts';
import { begin, canMount, clientOf, hostOn, logOf, refusal, smallDisk, temporaryFolder } from './stage.ts';

/** What no compression makes smaller by much, some 0.5 MB a second. */
const FLOOD =
  'i=0; while :; do i=$((i+1)); echo "line $i"; head -c 300000 /dev/urandom | base64 -w 76; sleep 0.3; done';

describe.skipIf(!canMount)('a disk that fills', () => {
  test('[CONN-6] [ACT-8] clients are refused with reasons, reads go on, what talks waits, and with room all of it goes on', async () => {
    const folder = await temporaryFolder();
    const disk = join(folder, 'disk');
    await mkdir(disk);
    smallDisk(disk, '12m');
    const ballast = join(disk, 'ballast');
    await writeFile(ballast, Buffer.alloc(6_000_000));
    const dataDir = join(disk, 'data');
    const host = hostOn(dataDir, folder);
    await host.start();
    const [asking, watching] = [await clientOf(host, 'asking'), await clientOf(host, 'watching')];
    const session = await asking.sessions.create({
      provider: 'demo',
      workingDirectory: pathToFileURL(folder).href,
    });
    const watched = await watching.sessions.open(session.uri);
    const turn = session.prompt(quickly('stream 1000000 every 5 of 1000'));
    const terminal = await asking.createTerminal({ command: ['/bin/sh', '-c', FLOOD] });
    const watchedTerminal = await watching.terminal(terminal.uri);
    await shows(watchedTerminal, /line \d+/);

    // Full.
    const refused = await vi.waitFor(
      async () => {
        const renamed = await watched.rename(`at ${performance.now()}`);
        if (renamed.outcome !== 'rejected') throw new Error(`not full yet: ${renamed.outcome}`);
        return renamed;
      },
      { timeout: 30_000, interval: 100 },
    );
    expect(refused).toMatchObject({ code: 'unavailable', reason: expect.stringContaining('try again') });
    await Promise.all([asking.ping(), watching.ping()]);
    const lengths = (): number[] => [
      JSON.stringify(session.chat.mirror.confirmed).length,
      JSON.stringify(watched.chat.mirror.confirmed).length,
      JSON.stringify(terminal.mirror.confirmed).length,
      JSON.stringify(watchedTerminal.mirror.confirmed).length,
    ];
    const before = lengths();
    await expect(asking.sessions.create({ provider: 'demo' })).rejects.toMatchObject({ code: -32603 });
    // Reads, also of somebody who comes now, over more than one attempt of the host.
    const late = await clientOf(host, 'late');
    const lateSession = await late.sessions.open(session.uri);
    expect((await late.request('listSessions', { channel: 'ahp-root://' })).items).toHaveLength(1);
    expect(
      await late.request('fetchTurns', { channel: lateSession.chat.mirror.uri, limit: 5 }),
    ).toMatchObject({ hasMore: false });
    await pause(3_300);
    expect(lengths()).toEqual(before);
    await asking.ping();
    expect(lateSession.chat.mirror.confirmed).toEqual(session.chat.mirror.confirmed);
    expect(host.errors.match(/the host cannot save data now/g)).toHaveLength(1);

    // Room.
    await rm(ballast);
    const [answer = 0, , output = 0] = before;
    await seen(session.chat.mirror, (state) => JSON.stringify(state).length > answer || undefined);
    await vi.waitFor(
      () => expect(JSON.stringify(watchedTerminal.mirror.confirmed).length).toBeGreaterThan(output),
      { timeout: 10_000 },
    );
    await terminal.signal('KILL');
    await watchedTerminal.exited;
    await turn.cancel();
    await turn.result;
    expect(await watched.rename('with room')).toMatchObject({ outcome: 'accepted' });
    await Promise.all([asking.ping(), watching.ping(), late.ping()]);
    for (const other of [watched, lateSession]) {
      expect(other.mirror.confirmed).toEqual(session.mirror.confirmed);
      expect(other.chat.mirror.confirmed).toEqual(session.chat.mirror.confirmed);
    }
    expect(watchedTerminal.mirror.confirmed).toEqual(terminal.mirror.confirmed);
    await saidOnce(host, dataDir);

    // And none of it was only in memory.
    const shown = session.chat.mirror.confirmed;
    await host.kill();
    await host.start();
    await asking.whenOnline();
    await asking.ping();
    const again = await clientOf(host, 'again');
    const reopened = await again.sessions.open(session.uri);
    expect(reopened.chat.mirror.confirmed).toEqual(shown);
    expect(session.chat.mirror.confirmed).toEqual(shown);
    // What was trimmed has become a screen, whose bytes differ.
    const tail = ({ content }: { content: readonly TerminalContentPart[] }): string =>
      contentText(content).slice(-100_000);
    const terminalAgain = await again.terminal(terminal.uri);
    expect(tail(terminalAgain.mirror.confirmed)).toBe(tail(terminal.mirror.confirmed));
  }, 90_000);

  test('room for little things but not for what has to be written is no recovery: nobody is told so each second', async () => {
    const folder = await temporaryFolder();
    const disk = join(folder, 'disk');
    await mkdir(disk);
    smallDisk(disk, '24m');
    const ballast = join(disk, 'ballast');
    const dataDir = join(disk, 'data');
    const host = hostOn(dataDir, folder);
    const { session } = await begin(host, folder);
    const gate = join(folder, 'gate');
    // Compressed while it is streamed, whole in the row that its end writes.
    const turn = session.prompt(
      quickly(`stream 60 every 0 of 100000\nrun while [ ! -e ${gate} ]; do sleep 0.05; done`),
    );
    await seen(session.chat.mirror, ({ activeTurn }) =>
      callsOf(activeTurn).find(({ status }) => status === 'running'),
    );
    await leaveRoom(disk, ballast, 3_000_000);
    await writeFile(gate, '');
    await vi.waitFor(async () => expect(await readiness(host)).toBe(503), { timeout: 20_000 });
    await pause(3_500);
    expect(await readiness(host)).toBe(503);
    expect(host.errors.match(/the host cannot save data now/g)).toHaveLength(1);
    expect(host.errors).not.toContain('can be written again');
    await rm(ballast);
    expect((await turn.result).state).toBe('complete');
    await saidOnce(host, dataDir);
  }, 60_000);

  test('that is full when the host starts: one line, no host, and what it holds stays as it is', async () => {
    const folder = await temporaryFolder();
    const disk = join(folder, 'disk');
    await mkdir(disk);
    smallDisk(disk, '8m');
    const ballast = join(disk, 'ballast');
    const dataDir = join(disk, 'data');
    const host = hostOn(dataDir, folder);
    await host.start();
    const client = await clientOf(host, 'client');
    const session = await client.sessions.create({ provider: 'demo' });
    await session.prompt(quickly('say before')).result;
    const before = session.chat.mirror.confirmed;
    client.close();
    await host.kill();
    await leaveRoom(disk, ballast, 0);
    for (const dir of [dataDir, join(disk, 'fresh')]) {
      const message = await refusal(hostOn(dir, folder));
      expect(message).toContain(`no room to write ${dir}`);
      expect(message).not.toMatch(/\n\s+at /);
    }
    await rm(ballast);
    await host.start();
    const again = await clientOf(host, 'again');
    const reopened = await again.sessions.open(session.uri);
    expect(reopened.chat.mirror.confirmed).toEqual(before);
    expect(host.errors).not.toContain('damaged');
  }, 60_000);
});

/** Fills a disk with the file `ballast` but for so many bytes. */
async function leaveRoom(disk: string, ballast: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(disk);
  await writeFile(ballast, Buffer.alloc(Math.max(0, bavail * bsize - bytes)));
}

/** One trouble and its end, told to people and in the log, which was on the same disk. */
async function saidOnce(host: HostProcess, dataDir: string): Promise<void> {
  await vi.waitFor(() => expect(host.errors.match(/can be written again/g)).toHaveLength(1), {
    timeout: 30_000,
  });
  expect(host.errors.match(/the host cannot save data now/g)).toHaveLength(1);
  const log = await logOf(dataDir);
  expect(log.filter(({ level }) => level !== 'info' && level !== 'debug').map(({ msg }) => msg)).toEqual([
    'the journal cannot be written; the host retries every second',
  ]);
  expect(log.filter(({ msg }) => msg === 'the journal can be written again')).toHaveLength(1);
}

/** What the host says to those who ask whether it takes work. */
async function readiness(host: HostProcess): Promise<number> {
  const response = await fetch(new URL('/readyz', host.address.url));
  await response.text();
  return response.status;
}
