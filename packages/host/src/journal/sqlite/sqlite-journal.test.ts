import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { JournalWrite } from '../journal.ts';
import {
  chat,
  create,
  dataFolder,
  file,
  largeChannel,
  largeEnvelope,
  now,
  useJournalFolder,
} from './journal-folder.ts';
import type { SqliteJournal } from './sqlite-journal.ts';

useJournalFolder();

const onePowerCut = { bootId: () => 'boot 2' };

/** Text that does not compress. */
function noise(seed: number): string {
  return [seed, -seed].map((each) => createHash('sha512').update(String(each)).digest('base64')).join('');
}

function envelopes(from: number, count: number): JournalWrite[] {
  return Array.from({ length: count }, (_, index) => ({
    op: 'envelope',
    seq: from + index,
    channel: chat,
    time: from + index,
    json: JSON.stringify({ seq: from + index, text: noise(from + index) }),
  }));
}

/** Leaves a journal as a kill does: copies its files while it is open, and restores them after it has closed. */
async function leaveCutOff(journal: SqliteJournal): Promise<void> {
  const names = ['journal.db', 'journal.db-wal', 'seq', 'sent'].filter((name) => existsSync(file(name)));
  const copies = names.map((name) => [name, readFileSync(file(name))] as const);
  await journal.close();
  for (const [name, content] of copies) writeFileSync(file(name), content);
}

function overwrite(name: string, position: number, content: Buffer): void {
  const handle = openSync(file(name), 'r+');
  writeSync(handle, content, 0, content.length, position);
  closeSync(handle);
}

describe('files', () => {
  test('a new data folder is readable by its owner only, and so is every file in it', async () => {
    const journal = create();
    await journal.open();
    await journal.reserveSeq(100);
    await journal.commit(envelopes(1, 10));
    expect((statSync(dataFolder()).mode & 0o777).toString(8)).toBe('700');
    const names = readdirSync(dataFolder());
    expect(names.toSorted()).toEqual(['journal.db', 'journal.db-wal', 'sent', 'seq']);
    expect(names.map((name) => (statSync(file(name)).mode & 0o777).toString(8))).toEqual([
      '600',
      '600',
      '600',
      '600',
    ]);
  });

  test('a database that others could read becomes private', async () => {
    const before = create();
    await before.open();
    await before.close();
    chmodSync(file('journal.db'), 0o644);
    await create().open();
    expect((statSync(file('journal.db')).mode & 0o777).toString(8)).toBe('600');
  });

  test('a file where the folder should be is an error that names the path', async () => {
    writeFileSync(dataFolder(), '');
    await expect(create().open()).rejects.toMatchObject({ name: 'JournalError', code: 'io' });
    await expect(create().open()).rejects.toThrow(dataFolder());
  });

  test.each(['the database', 'its folder'])(
    'what is written while %s is not where it was is refused, and taken again once it is back',
    async (what) => {
      const journal = create();
      await journal.open();
      await journal.commit(envelopes(1, 1));
      const place = what === 'its folder' ? dataFolder() : file('journal.db');
      renameSync(place, `${place}-away`);
      if (what === 'its folder') mkdirSync(place);
      else writeFileSync(place, '');
      await expect(journal.commit(envelopes(2, 1))).rejects.toMatchObject({ code: 'missing' });
      await expect(journal.reserveSeq(2 ** 40)).rejects.toMatchObject({ code: 'missing' });
      rmSync(place, { recursive: true });
      renameSync(`${place}-away`, place);
      await journal.commit(envelopes(3, 1));
      expect((await journal.readEnvelopes([chat], 0, 9, 1_000_000))?.map(({ seq }) => seq)).toEqual([1, 3]);
    },
  );

  test('a journal whose folder was deleted closes without an error', async () => {
    const journal = create();
    await journal.open();
    rmSync(dataFolder(), { recursive: true });
    await journal.close();
    expect(existsSync(dataFolder())).toBe(false);
  });

  test('freed pages are returned to the file system, a slice at a time', async () => {
    const journal = create();
    await journal.open();
    const big = JSON.stringify('x'.repeat(4_000_000));
    await journal.commit([{ op: 'turn', chat, ordinal: 0, id: 't', json: big }]);
    await journal.commit([{ op: 'dropTurns', chat, from: 0 }]);
    expect(await journal.compact(100)).toBe(true);
    while (await journal.compact(100));
    expect(statSync(file('journal.db')).size).toBeLessThan(300_000);
    expect(statSync(file('journal.db-wal')).size).toBe(0);
  });
});

describe('data that a power loss may have destroyed', () => {
  async function cutOff(): Promise<void> {
    const journal = create();
    await journal.open();
    await journal.reserveSeq(100);
    await journal.commit(envelopes(1, 20));
    await leaveCutOff(journal);
  }

  test('[CONN-6] a kill loses nothing: on the same boot no end of the log is missing', async () => {
    await cutOff();
    expect(await create().open()).toMatchObject({
      lastSeq: 20,
      reservedSeq: 100,
      mayHaveLostTail: false,
      lost: [],
    });
  });

  test('[CONN-4] [CONN-5] a log that was truncated afterwards is detected on the same boot, and its numbers are reported as lost', async () => {
    const journal = create();
    await journal.open();
    await journal.reserveSeq(100);
    await journal.commit(envelopes(1, 20));
    await journal.commit(envelopes(21, 3));
    await leaveCutOff(journal);
    truncateSync(file('journal.db-wal'), statSync(file('journal.db-wal')).size - 100);
    const lost = [{ after: 20, upTo: 100 }];
    const next = create();
    expect(await next.open()).toMatchObject({ lastSeq: 20, reservedSeq: 100, mayHaveLostTail: true, lost });
    await next.commit(envelopes(101, 1));
    await leaveCutOff(next);
    expect(await create().open()).toMatchObject({ lastSeq: 101, mayHaveLostTail: false, lost });
  });

  test('[CONN-4] [CONN-5] after a kill and a new boot, the numbers above the last journaled one are reported as lost', async () => {
    await cutOff();
    const lost = [{ after: 20, upTo: 100 }];
    const journal = create(onePowerCut);
    expect(await journal.open()).toMatchObject({
      lastSeq: 20,
      reservedSeq: 100,
      mayHaveLostTail: true,
      lost,
    });
    await journal.commit(envelopes(101, 5));
    await journal.close();

    const later = create(onePowerCut);
    expect(await later.open()).toMatchObject({ lastSeq: 105, mayHaveLostTail: false, lost });
    await later.trim(105, 1_000);
    await later.close();
    expect(await create(onePowerCut).open()).toMatchObject({ lost: [] });
  });

  test('[CONN-6] a journal that was closed before a restart of the machine lost nothing', async () => {
    const journal = create();
    await journal.open();
    await journal.reserveSeq(100);
    await journal.commit(envelopes(1, 20));
    await journal.close();
    expect(await create(onePowerCut).open()).toMatchObject({ mayHaveLostTail: false, lost: [] });
  });

  test('an unknown boot counts as another one', async () => {
    await cutOff();
    expect(await create({ bootId: () => undefined }).open()).toMatchObject({ mayHaveLostTail: true });
  });

  test('[CONN-4] a database replaced by an older copy does not bring numbers back', async () => {
    const journal = create();
    await journal.open();
    await journal.reserveSeq(100);
    await journal.commit(envelopes(1, 20));
    await journal.close();
    const old = readFileSync(file('journal.db'));
    const later = create();
    await later.open();
    await later.reserveSeq(200);
    await later.commit(envelopes(101, 20));
    await later.close();
    writeFileSync(file('journal.db'), old);
    expect(await create().open()).toMatchObject({
      lastSeq: 20,
      reservedSeq: 200,
      mayHaveLostTail: true,
      lost: [{ after: 20, upTo: 200 }],
    });
  });

  test('[CONN-4] a database that was deleted does not bring numbers back', async () => {
    await cutOff();
    rmSync(file('journal.db'));
    rmSync(file('journal.db-wal'));
    const journal = create();
    expect(await journal.open()).toMatchObject({
      lastSeq: 0,
      reservedSeq: 100,
      mayHaveLostTail: true,
      isLost: true,
    });
    expect(await journal.windowStats()).toMatchObject({ trimmedSeq: 100 });
  });

  test('a lost number file is written again at the next start', async () => {
    await cutOff();
    rmSync(file('seq'));
    expect(await create().open()).toMatchObject({ reservedSeq: 100, mayHaveLostTail: false });
    expect(readFileSync(file('seq'), 'utf8')).toBe('100\n');
  });
});

describe('damage', () => {
  /** Writes enough for many pages in the database. */
  async function fill(): Promise<void> {
    const journal = create();
    await journal.open();
    await journal.reserveSeq(10_000);
    await journal.commit(envelopes(1, 5_000));
    await journal.close();
  }

  test.each([
    ['is no database at all', () => writeFileSync(file('journal.db'), 'x'.repeat(100_000))],
    ['has lost its head', () => overwrite('journal.db', 0, Buffer.alloc(4_096))],
    ['is cut short', () => truncateSync(file('journal.db'), 300_000)],
    ['has a broken schema', () => overwrite('journal.db', 100, Buffer.alloc(3_900, 0xff))],
  ])(
    '[CONN-4] a database that %s is set aside, and a new one continues above the old numbers',
    async (_case, damage) => {
      await fill();
      damage();
      const broken = readFileSync(file('journal.db'));
      const journal = create();
      const start = await journal.open();
      expect(start).toMatchObject({ lastSeq: 0, reservedSeq: 10_000, mayHaveLostTail: true });
      expect(start.lost).toEqual([{ after: 0, upTo: 10_000 }]);
      expect(start.setAside?.path).toBe(file('journal.db.damaged-20261121T102030Z'));
      expect(start.setAside?.reason).toMatch(/malformed|not a database|damaged/);
      expect(readFileSync(file('journal.db.damaged-20261121T102030Z')).equals(broken)).toBe(true);
      await journal.commit(envelopes(10_001, 5));
      expect(await journal.windowStats()).toMatchObject({ trimmedSeq: 10_000 });
      await journal.close();
      const next = await create().open();
      expect(next).toMatchObject({ lastSeq: 10_005, mayHaveLostTail: false, lost: [] });
      expect(next).not.toHaveProperty('setAside');
    },
  );

  test('a second database in the same second gets a name of its own', async () => {
    mkdirSync(dataFolder());
    writeFileSync(file('journal.db'), 'not a database'.repeat(100));
    const first = create();
    await first.open();
    await first.close();
    writeFileSync(file('journal.db'), 'not a database'.repeat(100));
    const start = await create().open();
    expect(start.setAside?.path).toBe(file('journal.db.damaged-20261121T102030Z-2'));
  });

  test('[CONN-4] without the number file too, numbers continue from the clock, above all assigned ones', async () => {
    await fill();
    writeFileSync(file('journal.db'), 'not a database'.repeat(100));
    rmSync(file('seq'));
    expect(await create().open()).toMatchObject({ reservedSeq: now, mayHaveLostTail: true });
    expect(readFileSync(file('seq'), 'utf8')).toBe(`${now}\n`);
  });

  test('[CONN-4] an illegible number file does not lower the reservation of the database', async () => {
    await fill();
    writeFileSync(file('seq'), '99999999999999999999999999\n');
    expect(await create().open()).toMatchObject({ reservedSeq: 10_000 });
    expect(readFileSync(file('seq'), 'utf8')).toBe('10000\n');
  });

  /** Damages pages in the middle, which a start does not check. */
  function tearMiddle(): void {
    const { size } = statSync(file('journal.db'));
    overwrite('journal.db', Math.floor(size / 2 / 4_096) * 4_096, Buffer.alloc(20 * 4_096, 0xa5));
  }

  test('a torn page after a power loss is found at start', async () => {
    await fill();
    const journal = create();
    await journal.open();
    await leaveCutOff(journal);
    tearMiddle();
    const start = await create(onePowerCut).open();
    expect(start.setAside?.reason).toMatch(/damaged|malformed/);
  });

  test('damage that a read finds is an error of that read, and the next start sets the database aside', async () => {
    await fill();
    tearMiddle();
    const told: unknown[] = [];
    const journal = create({ onDamage: (failure) => told.push(failure) });
    expect(await journal.open()).not.toHaveProperty('setAside');
    for (let attempt = 0; attempt < 2; attempt++) {
      const read = journal.readEnvelopes([chat], 0, 5_000, 1e9);
      await expect(read).rejects.toMatchObject({ name: 'JournalError', code: 'damaged' });
    }
    expect(told).toMatchObject([
      { code: 'damaged', message: expect.stringContaining('start the host again') },
    ]);
    expect(await journal.readMeta('elsewhere')).toBeUndefined();
    await journal.close();
    expect(await create().open()).toMatchObject({ setAside: { path: expect.stringContaining('.damaged-') } });
    expect(existsSync(file('journal.db.suspect'))).toBe(false);
  });

  /** Overwrites the root page of an index, which a start does not check. */
  function overwriteRoot(name: string): void {
    const database = new DatabaseSync(file('journal.db'));
    const root = Number(
      database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name)?.rootpage,
    );
    database.close();
    overwrite('journal.db', (root - 1) * 4_096, Buffer.alloc(4_096, 0xa5));
  }

  const session = (uri: string): JournalWrite => ({
    op: 'session',
    uri,
    modifiedAt: '2026-01-01T00:00:00.000Z',
    summary: '{}',
  });

  test('damage that a write finds stops all writes with one message, until the next start sets the file aside', async () => {
    await fill();
    const before = create();
    await before.open();
    await before.commit([session('a')]);
    await before.close();
    overwriteRoot('sessions_by_time');
    const journal = create();
    expect(await journal.open()).not.toHaveProperty('setAside');
    const refusal = { code: 'damaged', message: expect.stringContaining('is damaged (database disk image') };
    await expect(journal.commit([session('b')])).rejects.toMatchObject(refusal);
    await expect(journal.commit([{ op: 'meta', key: 'k', value: 'v' }])).rejects.toMatchObject(refusal);
    await expect(journal.reserveSeq(1_000_000)).rejects.toMatchObject(refusal);
    expect(await journal.readEnvelopes([chat], 4_990, 5_000, 1e9)).toHaveLength(10);
    await journal.close();
    expect(await create().open()).toMatchObject({ setAside: { reason: expect.stringMatching(/damaged/) } });
    expect(existsSync(file('journal.db.suspect'))).toBe(false);
  });

  test('a compressed row that cannot be read is an error of each read that needs it, and of no other', async () => {
    const journal = create();
    await journal.open();
    await journal.commit([largeEnvelope(1), { ...largeEnvelope(2), channel: 'other' }]);
    await journal.close();
    const database = new DatabaseSync(file('journal.db'));
    database.exec("UPDATE envelopes SET json = CAST(substr(json, 1, 40) || x'00' AS BLOB) WHERE seq = 1");
    database.close();
    const again = create();
    await again.open();
    const damage = { name: 'JournalError', code: 'damaged', message: expect.stringContaining('damaged') };
    await expect(again.readEnvelopes([chat], 0, 5, 1e9)).rejects.toMatchObject(damage);
    expect(await again.readEnvelopes(['other'], 0, 5, 1e9)).toMatchObject([{ json: largeEnvelope(2).json }]);
    expect(await again.trim(1, 5)).toBe(1);
  });

  test('a compressed state that cannot be read is an error of its channel, and of no other', async () => {
    const journal = create();
    await journal.open();
    await journal.commit([largeChannel('broken', 1), largeChannel('other', 2)]);
    await journal.close();
    const database = new DatabaseSync(file('journal.db'));
    database.exec(
      "UPDATE states SET state = CAST(substr(state, 1, 40) || x'00' AS BLOB) WHERE channel = 'broken'",
    );
    database.close();
    const again = create();
    await again.open();
    const damage = { name: 'JournalError', code: 'damaged', message: expect.stringContaining('damaged') };
    await expect(again.readChannel('broken')).rejects.toMatchObject(damage);
    expect(await again.readChannel('other')).toMatchObject({ state: largeChannel('other', 2).state });
  });

  test('a suspicion that proves wrong changes nothing', async () => {
    await fill();
    writeFileSync(file('journal.db.suspect'), '');
    const start = await create().open();
    expect(start).toMatchObject({ lastSeq: 5_000, mayHaveLostTail: false });
    expect(start).not.toHaveProperty('setAside');
    expect(existsSync(file('journal.db.suspect'))).toBe(false);
  });
});
