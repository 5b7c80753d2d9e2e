import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { channel, seqs } from '../contract/rows.ts';
import type { Journal, JournalWrite } from '../journal.ts';
import { MemoryDisk } from '../memory/disk.ts';
import { MemoryJournal } from '../memory/memory-journal.ts';
import { RowBuilder, readEnvelopeRow } from './envelope-rows.ts';
import { migrations } from './migrations.ts';
import { SqliteJournal } from './sqlite-journal.ts';

async function withJournal(work: (journal: SqliteJournal, folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-runs-'));
  const journal = new SqliteJournal({ folder });
  try {
    await journal.open();
    await work(journal, folder);
  } finally {
    await journal.close();
    rmSync(folder, { recursive: true });
  }
}

/** Large enough to be compressed, alone or with its neighbours. */
const large = (seq: number) => JSON.stringify({ seq, lines: 'a line of a log, é🌍\r\n'.repeat(2_000) });

const delta = (seq: number, json = `{"é🌍":${seq}}`) =>
  ({ op: 'envelope', seq, channel: 'a', time: seq * 10, json }) as const satisfies JournalWrite;

const row = (seq: number, time: number, json: string) => ({ seq, channel: 'a', time, json });

test('a row keeps number, time and text of each envelope, whatever the text', () => {
  const part = fc.record({
    step: fc.nat({ max: 3 }),
    later: fc.nat({ max: 2 }),
    text: fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 4 }),
      fc.constantFrom('', '\n', '1 1 1 ', '{"a":"\\ud800"}', '{"é🌍":1}'),
    ),
  });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), (parts) => {
      const builder = new RowBuilder('a');
      const rows = [];
      let [seq, time] = [0, 0];
      for (const { step, later, text } of parts) {
        seq += step;
        time += later;
        builder.add({ seq, time, json: text });
        rows.push(row(seq, time, text));
      }
      const built = builder.build();
      expect(readEnvelopeRow({ ...built })).toEqual(rows);
      expect(built).toMatchObject({ seq, time, firstSeq: rows[0]?.seq, firstTime: rows[0]?.time });
      expect(built.bytes).toBe(Buffer.byteLength(rows.map(({ json }) => json).join('')));
    }),
  );
});

test('a row with inconsistent lengths is damage', () => {
  const builder = new RowBuilder('a');
  builder.add({ seq: 1, time: 1, json: '{}' });
  builder.add({ seq: 2, time: 2, json: '{}' });
  const built = builder.build();
  for (const damaged of [{ json: '{}{' }, { json: '1 1 9 {}' }, { json: '' }, { run: '[1' }, { seq: 3 }])
    expect(() => readEnvelopeRow({ ...built, ...damaged })).toThrow('damaged');
});

test('neighbours on one channel share a row, up to a bound; an answer to a dispatch has its own row', async () => {
  await withJournal(async (journal, folder) => {
    const origin = { clientId: 'c', epoch: 'e', clientSeq: 1 };
    const writes = Array.from({ length: 600 }, (_, index) => delta(index + 1));
    await journal.commit([...writes, { ...delta(601), origin }, delta(602), delta(603, '9'.repeat(100_000))]);
    await journal.commit([delta(604)]);
    await journal.close();
    const database = new DatabaseSync(join(folder, 'journal.db'));
    const rows = database.prepare('SELECT seq FROM envelopes ORDER BY seq').all();
    database.close();
    expect(rows.map(({ seq }) => seq)).toEqual([512, 600, 601, 603, 604]);
    await journal.open();
    expect(seqs((await journal.readEnvelopes(['a'], 0, 700, 1e6)) ?? [])).toHaveLength(604);
  });
});

test('[ACT-5] large rows are stored compressed, alone and with neighbours, and are read and cut like others', async () => {
  await withJournal(async (journal, folder) => {
    const origin = { clientId: 'c', epoch: 'e', clientSeq: 1 };
    const alone = { ...delta(1, large(1)), origin };
    const writes = [alone, delta(2), delta(3, large(3)), delta(4)];
    await journal.commit(writes);
    await journal.close();
    const database = new DatabaseSync(join(folder, 'journal.db'));
    const rows = database
      .prepare('SELECT seq, typeof(json) AS type, length(json) AS size FROM envelopes')
      .all();
    database.close();
    expect(rows).toMatchObject([
      { seq: 1, type: 'blob' },
      { seq: 4, type: 'blob' },
    ]);
    expect(rows.every(({ size }) => Number(size) < 1_000)).toBe(true);
    await journal.open();
    const texts = (from: number) => writes.slice(from).map(({ seq, json }) => ({ seq, json }));
    expect(await journal.readEnvelopes(['a'], 0, 4, 1e6)).toMatchObject(texts(0));
    expect(await journal.findOutcome('c', 'e', 1)).toMatchObject({ seq: 1, json: large(1) });
    expect(await journal.trim(2, 10)).toBe(2);
    expect(await journal.readEnvelopes(['a'], 0, 4, 1e6)).toMatchObject(texts(2));
  });
});

test('a row is cut where trimming ends, and again', async () => {
  await withJournal(async (journal) => {
    await journal.commit(Array.from({ length: 10 }, (_, index) => delta(index + 1)));
    for (const left of [7, 4, 1]) {
      expect(await journal.trim(10, 3)).toBe(3);
      expect(await journal.windowStats()).toMatchObject({
        oldestTime: (11 - left) * 10,
        trimmedSeq: 10 - left,
      });
      expect(seqs((await journal.readEnvelopes(['a'], 0, 10, 1_000)) ?? [])).toHaveLength(left);
    }
    expect((await journal.readEnvelopes(['a'], 0, 10, 1_000))?.[0]).toMatchObject({
      time: 100,
      json: '{"é🌍":10}',
    });
    expect(await journal.trim(10, 3)).toBe(1);
  });
});

test('rows of versions 10 and 13 are read and cut beside those of this version, which older hosts refuse', async () => {
  await withJournal(async (journal, folder) => {
    await journal.close();
    const database = new DatabaseSync(join(folder, 'journal.db'));
    database.exec('PRAGMA user_version = 10');
    // Rows as hosts of those versions wrote them.
    const insert = database.prepare('INSERT INTO envelopes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    const old = [1, 2, 3, 4].map((seq) => row(seq, 5, `{"é":${seq}},"serverSeq":${seq},"x-time":5}`));
    const bytes = Buffer.byteLength('{"é":1},"serverSeq":1,"x-time":5}') * 2;
    const shared = '{"é":1},"serverSeq":1,"x-time":5}2},"serverSeq":2,"x-time":5}';
    insert.run(2, 1, 'a', 5, 5, 2, bytes, bytes, null, null, null, '[1,5,0,33,1,0,5,28]', shared);
    insert.run(4, 3, 'a', 5, 5, 2, bytes, bytes * 2, null, null, null, '[3,5,-1,6,1,0,-6,1]', '{"é":34');
    database.close();
    // The version after these keeps no envelopes.
    const reading = new SqliteJournal({ folder, migrations: migrations.slice(0, 14) });
    await reading.open();
    await reading.commit([delta(5), delta(6)]);
    const all = [...old, row(5, 50, delta(5).json), row(6, 60, delta(6).json)];
    expect(await reading.readEnvelopes(['a'], 0, 9, 1e6)).toEqual(all);
    expect(await reading.trim(3, 10)).toBe(3);
    expect(await reading.readEnvelopes(['a'], 0, 9, 1e6)).toEqual(all.slice(3));
    await reading.close();
    const before = new SqliteJournal({ folder, migrations: migrations.slice(0, 13) });
    await expect(before.open()).rejects.toMatchObject({ code: 'newer' });
  });
});

test('the rows of a tick have a few bytes of overhead for each delta', async () => {
  await withJournal(async (journal, folder) => {
    const json = (seq: number) =>
      `{"channel":"ahp-chat:/${'c'.repeat(36)}","action":{"type":"chat/delta","turnId":"${'t'.repeat(36)}",` +
      `"partId":"${'p'.repeat(36)}","content":"word"},"serverSeq":${seq},"x-time":1790000000000}`;
    await journal.commit(Array.from({ length: 200 }, (_, index) => delta(index + 1, json(index + 1))));
    await journal.close();
    const database = new DatabaseSync(join(folder, 'journal.db'));
    const { size } = database.prepare('SELECT sum(length(json)) AS size FROM envelopes').get() ?? {};
    database.close();
    expect(Number(size) / 200).toBeLessThan(20);
  });
});

/** A journal's answers to all queries that depend on envelopes. */
async function answers(journal: Journal): Promise<unknown> {
  const edges = [0, 3, 8, 21, 60];
  const reads: unknown[] = [await journal.windowStats(), await journal.listStale(100, 10)];
  for (const uri of ['a', 'b']) reads.push(await journal.readChannel(uri), await journal.diskUse(uri));
  for (const uri of ['a', 'b']) {
    for (const after of [0, 3, 8, 21, 60])
      for (const maxBytes of [10, 60, 10_000])
        reads.push(await journal.readEnvelopesAfter(uri, after, maxBytes));
  }
  for (const from of edges) {
    for (const upTo of edges) {
      for (const maxBytes of [10, 60, 10_000, 200_000])
        reads.push(await journal.readEnvelopes(['b', 'a'], from, upTo, maxBytes));
      for (const bytes of [5, 5_000])
        reads.push(await pointOf(journal, { maxBytes: upTo * bytes, minTime: from * 10 }));
    }
  }
  return reads;
}

/** Any number up to the next envelope is the same position. */
async function pointOf(journal: Journal, limits: { maxBytes: number; minTime: number }): Promise<unknown> {
  const point = await journal.findTrimPoint(limits);
  return point === undefined
    ? 'none'
    : seqs((await journal.readEnvelopes(['a', 'b'], point, 1_000, 1e8)) ?? []);
}

test('answers with joined rows equal those of a journal with one row for each envelope', async () => {
  const write = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        uri: fc.constantFrom('a', 'a', 'a', 'b'),
        gap: fc.integer({ min: 1, max: 3 }),
        isLarge: fc.constantFrom(false, false, false, true),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ snapshot: fc.constantFrom('a', 'b'), back: fc.integer({ min: 0, max: 9 }) }),
    },
  );
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ writes: fc.array(write, { maxLength: 12 }) }) },
    {
      weight: 1,
      arbitrary: fc.record({ trim: fc.integer({ min: 0, max: 40 }), limit: fc.integer({ min: 1, max: 9 }) }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const memory = new MemoryJournal(new MemoryDisk());
      await memory.open();
      await withJournal(async (sqlite) => {
        let seq = 0;
        for (const each of steps) {
          if ('trim' in each) {
            expect(await sqlite.trim(each.trim, each.limit)).toBe(await memory.trim(each.trim, each.limit));
            continue;
          }
          const writes = each.writes.map((item): JournalWrite => {
            if ('snapshot' in item) return channel(item.snapshot, Math.max(0, seq - item.back));
            seq += item.gap;
            const { uri, isLarge } = item;
            return { ...delta(seq, isLarge ? large(seq) : undefined), channel: uri };
          });
          await sqlite.commit(writes);
          await memory.commit(writes);
        }
        expect(await answers(sqlite)).toEqual(await answers(memory));
      });
      await memory.close();
    }),
    { numRuns: 40 },
  );
});
