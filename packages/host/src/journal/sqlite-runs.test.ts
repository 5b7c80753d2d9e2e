import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { channel, seqs } from './contract-rows.ts';
import { type EnvelopePieces, envelopeEnd } from './envelope-end.ts';
import type { Journal, JournalWrite } from './journal.ts';
import { MemoryDisk } from './memory-disk.ts';
import { MemoryJournal } from './memory-journal.ts';
import { SqliteJournal } from './sqlite-journal.ts';
import { Run, unpack } from './sqlite-runs.ts';
import { migrations } from './sqlite-schema.ts';

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

/** As the host writes appended text. */
const append = (seq: number, time: number, { begin, text }: EnvelopePieces) => ({
  ...row(seq, time, begin + text + envelopeEnd(seq, time)),
  pieces: { begin, text },
});

const BEGIN = '{"action":{"é":';

test('a run keeps number, time and text of each envelope, whatever the text', () => {
  const texts = ['{"a":"🌍"}', '"漢🌍"', '{"a":"🌎"}', '', '{"a":"\\ud800"}', '{"a":"🌍"}!', '{"a":"🌍"}'];
  const run = new Run('a');
  for (const [index, json] of texts.entries()) run.add(row(index * 3, index * 7, json));
  const packed = run.pack();
  const bytes = Buffer.byteLength(texts.join(''));
  expect(packed).toMatchObject({ firstSeq: 0, seq: 18, firstTime: 0, time: 42, count: 7, bytes });
  expect(Buffer.from(packed.json).toString()).toBe(packed.json);
  expect(unpack({ ...packed })).toEqual(
    texts.map((json, index) => ({ seq: index * 3, channel: 'a', time: index * 7, json })),
  );
});

test('what a delta shares with the first of its run is written once', () => {
  const run = new Run('a');
  for (let seq = 1; seq <= 50; seq += 1)
    run.add(row(seq, 0, JSON.stringify({ shared: 'x'.repeat(100), seq })));
  expect(run.pack().json.length).toBeLessThan(500);
  const twins = new Run('a');
  for (const json of ['"🌍"', '"🌎"']) twins.add(row(1, 1, json));
  expect(twins.pack().json).toBe('"🌍"🌎"');
});

test('a run of envelopes in pieces and whole ones keeps each, in whatever order they come', () => {
  const piece = fc.record({
    begin: fc.constantFrom('', '{"é🌍', '{"é🌎', '{"a":1'),
    text: fc.string({ unit: 'grapheme', maxLength: 4 }),
  });
  const part = fc.record({
    step: fc.nat({ max: 3 }),
    time: fc.nat({ max: 2 }),
    // One that ends like others by chance, and that one cut short.
    text: fc.oneof(piece, fc.constantFrom('{"é🌍', '', `{"é🌍${envelopeEnd(1, 1)}`, envelopeEnd(2, 3))),
  });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), (parts) => {
      const run = new Run('a');
      const rows = [];
      let [seq, time] = [0, 0];
      for (const { step, time: later, text } of parts) {
        seq += step;
        time += later;
        const added = typeof text === 'string' ? row(seq, time, text) : append(seq, time, text);
        run.add(added);
        rows.push(row(seq, time, added.json));
      }
      const packed = run.pack();
      expect(unpack({ ...packed })).toEqual(rows);
      expect(packed.bytes).toBe(Buffer.byteLength(rows.map(({ json }) => json).join('')));
    }),
  );
});

test('of appended text a run holds little but the text', () => {
  const run = new Run('a');
  const begin = `{"channel":"${'c'.repeat(50)}","action":{"type":"chat/delta","content":`;
  for (let seq = 1; seq <= 50; seq += 1) run.add(append(seq, 1_790_000_000_000, { begin, text: '"word"' }));
  const { json, run: places } = run.pack();
  expect(json).toBe(`${begin}${'"word"'.repeat(50)}`);
  expect(places?.length).toBeLessThan(50 * 12 + 20);
});

test('a run that does not add up is damage', () => {
  const run = new Run('a');
  run.add(row(1, 1, '{}'));
  run.add(row(2, 2, '{}'));
  const packed = run.pack();
  expect(() => unpack({ ...packed, json: '{}{' })).toThrow('damaged');
  expect(() => unpack({ ...packed, run: '[1' })).toThrow('damaged');
  expect(() => unpack({ ...packed, seq: 3 })).toThrow('damaged');
});

test('neighbours on one channel share a row, up to a bound; what answers a dispatch has its own', async () => {
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

test('[ACT-5] large rows are held compressed, alone and with neighbours, and read and cut as others are', async () => {
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

test('runs of version 10 are read beside those whose envelopes are stored without their ends, which older hosts refuse', async () => {
  await withJournal(async (journal, folder) => {
    await journal.close();
    const database = new DatabaseSync(join(folder, 'journal.db'));
    database.exec('PRAGMA user_version = 10');
    // As a host of that version wrote it.
    const insert = database.prepare('INSERT INTO envelopes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    const old = ['{"é":1},"serverSeq":1,"x-time":5}', '{"é":2},"serverSeq":2,"x-time":5}'];
    const bytes = Buffer.byteLength(old.join(''));
    const json = '{"é":1},"serverSeq":1,"x-time":5}2},"serverSeq":2,"x-time":5}';
    insert.run(2, 1, 'a', 5, 5, 2, bytes, bytes, null, null, null, '[1,5,0,33,1,0,5,28]', json);
    database.close();
    await journal.open();
    const added = [3, 4].map((seq) => append(seq, 6, { begin: BEGIN, text: '"x"' }));
    await journal.commit(added.map((each) => ({ op: 'envelope', ...each })));
    const all = [
      ...old.map((each, index) => row(index + 1, 5, each)),
      ...added.map((each) => row(each.seq, 6, each.json)),
    ];
    expect(await journal.readEnvelopes(['a'], 0, 4, 1e6)).toEqual(all);
    await journal.close();
    const before = new SqliteJournal({ folder, migrations: migrations.slice(0, 10) });
    await expect(before.open()).rejects.toMatchObject({ code: 'newer' });
  });
});

/** What a journal answers to everything that envelopes bear on. */
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

/** Any number before the next envelope is the same point. */
async function pointOf(journal: Journal, limits: { maxBytes: number; minTime: number }): Promise<unknown> {
  const point = await journal.findTrimPoint(limits);
  return point === undefined
    ? 'none'
    : seqs((await journal.readEnvelopes(['a', 'b'], point, 1_000, 1e8)) ?? []);
}

test('runs show in no answer: they are those of a journal that keeps each envelope by itself', async () => {
  const write = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        uri: fc.constantFrom('a', 'a', 'a', 'b'),
        gap: fc.integer({ min: 1, max: 3 }),
        isLarge: fc.constantFrom(false, false, false, true),
        isAppend: fc.boolean(),
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
            const added = { ...delta(seq, isLarge ? large(seq) : undefined), channel: uri };
            const text = isLarge ? large(seq) : `"é${seq}"`;
            return item.isAppend
              ? { ...added, ...append(seq, seq * 10, { begin: BEGIN, text }), channel: uri }
              : added;
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
