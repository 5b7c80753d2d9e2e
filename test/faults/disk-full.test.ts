import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { contentText } from '@agenthost/client';
import { outputLength, type TerminalContentPart, type TerminalState } from '@agenthost/protocol';
import { describe, expect, test, vi } from 'vitest';
import { agree, withoutChanges } from '../agree.ts';
import type { HostProcess } from '../kill/host-process.ts';
import { callsOf, quickly, seen, shows } from '../terminals/stage.ts';
import { begin, canMount, clientOf, hostOn, logOf, refusal, smallDisk, temporaryFolder } from './stage.ts';

/** Output that hardly compresses, about 0.5 MB a second. */
const FLOOD =
  'i=0; while :; do i=$((i+1)); echo "line $i"; head -c 300000 /dev/urandom | base64 -w 76; sleep 0.3; done';

describe.skipIf(!canMount)('a disk that fills', () => {
  test('[CONN-6] [ACT-8] refuses dispatches with reasons, serves reads, pauses agents and terminals, and resumes with free space', async () => {
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
      workingDirectories: [pathToFileURL(folder).href],
    });
    const watched = await watching.sessions.open(session.uri);
    const turn = session.prompt(quickly('stream 1000000 every 5 of 1000'));
    const terminal = await asking.createTerminal({ command: ['/bin/sh', '-c', FLOOD] });
    const watchedTerminal = await watching.terminal(terminal.uri);
    await shows(watchedTerminal, /line \d+/);

    // The disk is full.
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
    // Old output is trimmed while new output comes.
    // The screen at the front of a late client's content is no output.
    const outputUnits = (state: TerminalState): number =>
      (state['x-trimmed']?.units ?? 0) + outputLength(state);
    const lengths = (): number[] => [
      JSON.stringify(session.chat.mirror.confirmed).length,
      JSON.stringify(watched.chat.mirror.confirmed).length,
      outputUnits(terminal.mirror.confirmed),
      outputUnits(watchedTerminal.mirror.confirmed),
    ];
    const before = lengths();
    await expect(asking.sessions.create({ provider: 'demo' })).rejects.toMatchObject({ code: -32603 });
    // Reads go on, for a new client too, while the host retries its write more than once.
    const late = await clientOf(host, 'late');
    const lateSession = await late.sessions.open(session.uri);
    expect((await late.request('listSessions', { channel: 'ahp-root://' })).items).toHaveLength(1);
    expect(
      await late.request('fetchTurns', { channel: lateSession.chat.mirror.uri, limit: 5 }),
    ).toMatchObject({ hasMore: false });
    await pause(3_300);
    expect(lengths()).toEqual(before);
    await asking.ping();
    await agree(lateSession.chat.mirror, session.chat.mirror);
    expect(host.errors.match(/the host cannot save data now/g)).toHaveLength(1);

    // The disk has free space again.
    await rm(ballast);
    const [answer = 0, , output = 0] = before;
    await seen(session.chat.mirror, (state) => JSON.stringify(state).length > answer || undefined);
    await vi.waitFor(() => expect(outputUnits(watchedTerminal.mirror.confirmed)).toBeGreaterThan(output), {
      timeout: 30_000,
    });
    await terminal.signal('KILL');
    await watchedTerminal.exited;
    await turn.cancel();
    await turn.result;
    expect(await watched.rename('with room')).toMatchObject({ outcome: 'accepted' });
    await Promise.all([asking.ping(), watching.ping(), late.ping()]);
    for (const other of [watched, lateSession]) {
      await agree(other.mirror, session.mirror);
      await agree(other.chat.mirror, session.chat.mirror);
    }
    // A client that came later got trimmed output.
    const tail = ({ content }: { content: readonly TerminalContentPart[] }): string =>
      contentText(content).slice(-60_000);
    const [own, other] = [terminal.mirror.confirmed, watchedTerminal.mirror.confirmed];
    expect(tail(other)).toBe(tail(own));
    expect(outputUnits(other)).toBe(outputUnits(own));
    expect([other.lifecycle, other.claim]).toEqual([own.lifecycle, own.claim]);
    await saidOnce(host, dataDir);

    // A kill of the host loses none of it.
    const shown = session.chat.mirror.confirmed;
    await host.kill();
    await host.start();
    await asking.whenOnline();
    await asking.ping();
    const again = await clientOf(host, 'again');
    const reopened = await again.sessions.open(session.uri);
    for (const chat of [reopened.chat, session.chat])
      expect(withoutChanges(chat.mirror.confirmed)).toEqual(withoutChanges(shown));
    // The host has replaced the trimmed output by a screen, whose bytes differ.
    const terminalAgain = await again.terminal(terminal.uri);
    expect(tail(terminalAgain.mirror.confirmed)).toBe(tail(terminal.mirror.confirmed));
  }, 90_000);

  test('with room for small writes but not for the pending one the host reports no recovery each second', async () => {
    const folder = await temporaryFolder();
    const disk = join(folder, 'disk');
    await mkdir(disk);
    smallDisk(disk, '24m');
    const ballast = join(disk, 'ballast');
    const dataDir = join(disk, 'data');
    const host = hostOn(dataDir, folder);
    const { session } = await begin(host, folder);
    const gate = join(folder, 'gate');
    // Compressed while it streams; its end writes one whole row.
    const turn = session.prompt(
      quickly(`stream 60 every 0 of 100000\nrun while [ ! -e ${gate} ]; do sleep 0.05; done`),
    );
    await seen(session.chat.mirror, ({ activeTurn }) =>
      callsOf(activeTurn).find(({ status }) => status === 'running'),
    );
    await leaveRoom(disk, ballast, 3_000_000);
    await writeFile(gate, '');
    await vi.waitFor(async () => expect(await readiness(host)).toBe(503), { timeout: 30_000 });
    await pause(3_500);
    expect(await readiness(host)).toBe(503);
    expect(host.errors.match(/the host cannot save data now/g)).toHaveLength(1);
    expect(host.errors).not.toContain('can be written again');
    await rm(ballast);
    expect((await turn.result).state).toBe('complete');
    await saidOnce(host, dataDir);
  }, 60_000);

  test('that is full at the start of the host: the start fails with one line, and the files stay unchanged', async () => {
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
    expect(withoutChanges(reopened.chat.mirror.confirmed)).toEqual(withoutChanges(before));
    expect(host.errors).not.toContain('damaged');
  }, 60_000);
});

/** Fills a disk with the file `ballast` except for this number of bytes. */
async function leaveRoom(disk: string, ballast: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(disk);
  await writeFile(ballast, Buffer.alloc(Math.max(0, bavail * bsize - bytes)));
}

/** Checks that people and the log, on the same disk, got one report of the problem and one of its end. */
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

/** The readiness status of the host. */
async function readiness(host: HostProcess): Promise<number> {
  const response = await fetch(new URL('/readyz', host.address.url));
  await response.text();
  return response.status;
}
