import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { agree } from '../agree.ts';
import { quickly } from '../terminals/stage.ts';
import { clientOf, hostOn, logOf, refusal, temporaryFolder } from './stage.ts';

const PAGE_BYTES = 4_096;

/** Numbers of the pages, from 1, that hold the rows of a table, in a closed database. */
function pagesOf(file: string, table: string): number[] {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype <> 'internal'");
  const pages = rows.all(table).map(({ pageno }) => Number(pageno));
  database.close();
  return pages;
}

async function overwrite(file: string, pages: readonly number[]): Promise<void> {
  const handle = await open(file, 'r+');
  const bytes = Buffer.alloc(PAGE_BYTES, 0xa5);
  for (const page of pages) await handle.write(bytes, 0, bytes.length, (page - 1) * PAGE_BYTES);
  await handle.close();
}

describe('a database', () => {
  test('[CONN-4] damaged while the host runs: reads of damaged rows fail, other reads go on, and the next start creates a new database', async () => {
    const folder = await temporaryFolder();
    const workingDirectory = pathToFileURL(folder).href;
    const dataDir = join(folder, 'data');
    const database = join(dataDir, 'journal.db');
    const host = hostOn(dataDir, folder);
    await host.start();
    const writer = await clientOf(host, 'writer');
    const old = await writer.sessions.create({ provider: 'demo', workingDirectories: [workingDirectory] });
    const long = await writer.sessions.create({ provider: 'demo', workingDirectories: [workingDirectory] });
    // One row fills a page, and the rows are more than the 500 pages that SQLite keeps in memory.
    for (let turn = 0; turn < 600; turn++) await long.prompt(quickly('stream 1 every 0 of 3000')).result;
    await old.prompt(quickly('stream 20 every 0 of 10000')).result;
    const recent = await writer.sessions.create({ provider: 'demo', workingDirectories: [workingDirectory] });
    await recent.prompt(quickly('say sound')).result;
    writer.close();
    // Stops the host, so that all data is in the database and not in its log.
    await host.stop();
    const turnPages = pagesOf(database, 'turns');
    await host.start();
    const client = await clientOf(host, 'client');
    const sound = await client.sessions.open(recent.uri);
    const shown = await client.sessions.open(long.uri);
    await overwrite(database, turnPages);

    // Reads: damaged rows are refused with a message every time, other rows are read.
    const unreadable = {
      code: -32603,
      message: expect.stringMatching(/^The host cannot read this: its database is damaged$/),
    };
    await expect(client.sessions.open(old.uri)).rejects.toMatchObject(unreadable);
    await expect(client.sessions.open(old.uri)).rejects.toMatchObject(unreadable);
    await expect(
      client.request('fetchTurns', { channel: old.chat.mirror.uri, limit: 30 }),
    ).rejects.toMatchObject(unreadable);
    expect((await client.request('listSessions', { channel: 'ahp-root://' })).items).toHaveLength(3);
    const late = await clientOf(host, 'late');
    const alsoSound = await late.sessions.open(recent.uri);
    await agree(alsoSound.chat.mirror, sound.chat.mirror);
    await vi.waitFor(
      () => expect(host.errors.match(/journal\.db is damaged .* start the host again/g)).toHaveLength(1),
      { timeout: 30_000 },
    );

    // Writes: the first one that deletes damaged rows is the last one; the host keeps running. The truncation deletes older turns too,
    // which are not in memory.
    void shown.chat.truncate();
    await vi.waitFor(
      async () =>
        expect(await sound.rename('again')).toMatchObject({ outcome: 'rejected', code: 'unavailable' }),
      { timeout: 40_000, interval: 200 },
    );
    await expect(client.sessions.create({ provider: 'demo' })).rejects.toMatchObject({ code: -32603 });
    await late.ping();
    await agree(alsoSound.chat.mirror, sound.chat.mirror);
    await vi.waitFor(() => expect(host.errors.match(/the host cannot save data any more/g)).toHaveLength(1), {
      timeout: 30_000,
    });
    expect(host.isRunning).toBe(true);
    const complaints = (await logOf(dataDir)).filter(({ level }) => level === 'error');
    expect(complaints.map(({ msg }) => msg)).toEqual([
      'the database is damaged',
      'the journal cannot be written; the host retries every second',
    ]);
    expect(host.errors).not.toMatch(/\n\s+at /);

    // The next start of the host.
    const lastSeen = sound.mirror.reflectedSeq;
    expect(await host.stop()).toBe(0);
    await host.start();
    expect(host.errors).toContain('the host began a new one, without sessions and access tokens');
    const kept = (await readdir(dataDir)).filter((name) => name.includes('.damaged-'));
    expect(kept).not.toEqual([]);
    for (const one of [client, late]) {
      await one.whenOnline();
      expect((await one.request('listSessions', { channel: 'ahp-root://' })).items).toEqual([]);
    }
    // Mirrors of lost channels report the loss.
    await expect.poll(() => [sound.mirror.isLost, alsoSound.chat.mirror.isLost]).toEqual([true, true]);
    const next = await client.sessions.create({ provider: 'demo', workingDirectories: [workingDirectory] });
    const seenBy = await late.sessions.open(next.uri);
    await next.prompt(quickly('say anew')).result;
    await late.ping();
    await agree(seenBy.chat.mirror, next.chat.mirror);
    expect(next.mirror.reflectedSeq).toBeGreaterThan(lastSeen);
    expect(existsSync(`${database}.suspect`)).toBe(false);
    // Only once: the new database is sound.
    await host.stop();
    await host.start();
    expect(host.errors.match(/the host began a new one/g)).toHaveLength(1);
  }, 180_000);

  test('[CONN-4] from a newer host, replaced by a folder, or emptied: the host reports each and loses no remaining data', async () => {
    const folder = await temporaryFolder();
    const dataDir = join(folder, 'data');
    const database = join(dataDir, 'journal.db');
    const host = hostOn(dataDir, folder);
    await host.start();
    const client = await clientOf(host, 'client');
    const session = await client.sessions.create({ provider: 'demo' });
    await session.prompt(quickly('say before')).result;
    const lastSeen = session.mirror.reflectedSeq;
    await host.stop();

    const setVersion = (change: (version: number) => number): void => {
      const edited = new DatabaseSync(database);
      const version = Number(edited.prepare('PRAGMA user_version').get()?.['user_version']);
      edited.exec(`PRAGMA user_version = ${change(version)}`);
      edited.close();
    };
    setVersion((version) => version + 1);
    expect(await refusal(host)).toMatch(
      /journal\.db has version \d+, and this host knows .* install a newer agenthost/,
    );
    setVersion((version) => version - 1);
    await host.start();
    await client.whenOnline();
    await client.ping();
    expect(session.chat.mirror.confirmed.turns).toHaveLength(1);
    await host.stop();

    await rename(database, join(folder, 'put-away'));
    await mkdir(database);
    const refused = await refusal(host);
    expect(refused).toContain('journal.db is a folder, and no database: move it away');
    expect(refused).not.toMatch(/\n\s+at /);
    expect((await stat(database)).mode & 0o100).not.toBe(0);
    await rm(database, { recursive: true });
    await rename(join(folder, 'put-away'), database);
    await host.start();
    await host.stop();

    await truncate(database, 0);
    await writeFile(`${database}-wal`, '');
    await host.start();
    await client.whenOnline();
    expect((await client.request('listSessions', { channel: 'ahp-root://' })).items).toEqual([]);
    await expect.poll(() => session.mirror.isLost).toBe(true);
    const next = await client.sessions.create({ provider: 'demo' });
    expect(next.mirror.reflectedSeq).toBeGreaterThan(lastSeen);
    expect(host.errors.match(/the database was empty or missing/g)).toHaveLength(1);
  }, 180_000);
});
