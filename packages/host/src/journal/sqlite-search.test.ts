import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { channel, chat, session } from './contract-rows.ts';
import type { Journal, JournalWrite } from './journal.ts';
import { SqliteJournal } from './sqlite-journal.ts';
import { largeChannel } from './sqlite-journal-folder.ts';
import { migrations } from './sqlite-schema.ts';

let folder: string;
let journal: Journal;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agenthost-search-'));
  journal = new SqliteJournal({ folder });
  await journal.open();
});

afterEach(async () => {
  await journal.close();
  rmSync(folder, { recursive: true, force: true });
});

const turn = (ordinal: number, text: string): JournalWrite => ({
  op: 'turn',
  chat,
  ordinal,
  id: `t${ordinal}`,
  json: JSON.stringify({ message: { text } }),
});
const rows: JournalWrite[] = [
  {
    op: 'session',
    uri: session,
    modifiedAt: '2026-01-01T00:00:00.000Z',
    summary: '{"title":"Walnut cake"}',
  },
  channel(chat, 0, { session, state: '{"title":"Hazelnut"}' }),
];

async function find(query: string): Promise<{ found: string[]; isComplete: boolean }> {
  const { hits, isComplete } = await journal.search(query, { limit: 10 });
  return { found: hits.map(({ turnId, snippet }) => `${turnId ?? 'title'}: ${snippet}`), isComplete };
}

/** A database as a host of version 6 left it: nothing is in the index. */
async function older(turns: readonly JournalWrite[]): Promise<void> {
  await journal.commit([...rows, ...turns]);
  await journal.close();
  const database = new DatabaseSync(join(folder, 'journal.db'));
  database.exec(`DROP TABLE words; DROP TABLE titles; DROP TABLE unindexed; DROP TABLE tokens;
    ALTER TABLE clients DROP COLUMN locale; ALTER TABLE clients DROP COLUMN past_epochs; PRAGMA user_version = 6`);
  database.close();
  journal = new SqliteJournal({ folder });
  await journal.open();
  expect(migrations.length).toBe(12);
}

test('an index that is begun anew reads the titles of chats whose states are compressed, too', async () => {
  await journal.commit([...rows, { ...largeChannel('ahp-chat:/large', 7), session }]);
  await journal.close();
  const database = new DatabaseSync(join(folder, 'journal.db'));
  database.exec('DROP TABLE words');
  database.close();
  journal = new SqliteJournal({ folder });
  await journal.open();
  expect(await find('7')).toEqual({ found: [], isComplete: false });
  while (await journal.fillIndex(0));
  expect(await find('7')).toEqual({ found: ['title: Walnut 7'], isComplete: true });
});

test('what version 6 held is read into the index in slices, and until then a search says that it is not complete', async () => {
  await older(Array.from({ length: 300 }, (_, n) => turn(n, `walnut ${n}`)));
  expect(await find('walnut')).toEqual({ found: [], isComplete: false });
  await journal.commit([turn(300, 'walnut new')]);
  expect(await find('new')).toEqual({ found: ['t300: walnut new'], isComplete: false });
  // Cut away and written again before its turn comes.
  await journal.commit([{ op: 'dropTurns', chat, from: 298 }, turn(298, 'other')]);
  let slices = 1;
  while (await journal.fillIndex(0)) slices += 1;
  expect(slices).toBeGreaterThan(300);
  expect(await find('walnut 297')).toEqual({ found: ['t297: walnut 297'], isComplete: true });
  expect(await find('walnut 298')).toMatchObject({ found: [] });
  expect(await find('cake')).toMatchObject({ found: ['title: Walnut cake'] });
  expect(await find('hazelnut')).toMatchObject({ found: ['title: Hazelnut'] });
});

test('the index holds no text, goes back with a failed commit, and is whole after being put in order', async () => {
  await journal.commit([...rows, turn(0, 'an exceptional sentence')]);
  const failed: JournalWrite[] = [turn(1, 'lost'), { ...envelopeAt(1) }, { ...envelopeAt(1) }];
  await expect(journal.commit(failed)).rejects.toThrow('1');
  expect(await find('lost')).toMatchObject({ found: [] });
  for (let n = 1; n < 200; n += 1) await journal.commit([turn(n, `word${n} shared`)]);
  while (await journal.fillIndex(1));
  expect(await find('word77')).toMatchObject({ found: ['t77: word77 shared'] });
  await journal.commit([{ op: 'dropTurns', chat, from: 0 }]);
  expect(await find('shared')).toMatchObject({ found: [] });
  await journal.commit([
    { op: 'dropChannel', uri: chat },
    { op: 'dropSession', uri: session },
  ]);
  await journal.close();
  const database = new DatabaseSync(join(folder, 'journal.db'));
  database.exec("INSERT INTO words (words) VALUES ('integrity-check')");
  const held = database.prepare('SELECT message FROM words UNION ALL SELECT title FROM titles').all();
  database.close();
  expect(held).toEqual([]);
});

async function reopen(options: { hasFts5?: boolean } = {}): Promise<void> {
  await journal.close();
  journal = new SqliteJournal({ folder, ...options });
  await journal.open();
}

test('a Node without FTS5 in between leaves the index alone and finds everything, and one with it begins the index anew', async () => {
  await journal.commit([...rows, turn(0, 'walnut zero'), turn(1, 'walnut one'), turn(2, 'walnut two')]);
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  await reopen({ hasFts5: false });
  const last = 402;
  await journal.commit([
    { op: 'session', uri: session, modifiedAt: '2026-01-02T00:00:00.000Z', summary: '{"title":"Pear tart"}' },
    turn(0, 'almond zero'),
    { op: 'dropTurns', chat, from: 2 },
    ...Array.from({ length: last - 1 }, (_, n) => turn(n + 2, `filler ${n + 2}`)),
  ]);
  while (await journal.fillIndex(1));
  const found = async (): Promise<unknown> =>
    Object.fromEntries(
      await Promise.all(
        ['walnut', 'almond', 'cake', 'pear', 'hazelnut', '"filler 2"', 'filler'].map(async (query) => [
          query,
          await find(query),
        ]),
      ),
    );
  const scanned = await found();
  const touched = prepare.mock.calls.filter(([sql]) => /(?:FROM|INTO|TABLE|EXISTS) words\b/.test(sql));
  prepare.mockRestore();
  expect(touched).toEqual([]);
  expect(scanned).toMatchObject({
    walnut: { found: ['t1: walnut one'], isComplete: true },
    almond: { found: ['t0: almond zero'] },
    cake: { found: [] },
    pear: { found: ['title: Pear tart'] },
    hazelnut: { found: ['title: Hazelnut'] },
    '"filler 2"': { found: ['t2: filler 2'] },
  });
  await reopen();
  expect(await find('walnut')).toEqual({ found: [], isComplete: false });
  while (await journal.fillIndex(1));
  expect(await found()).toEqual(scanned);
  await reopen();
  expect(await find('walnut')).toMatchObject({ isComplete: true });
});

test('a database that was made, or brought from version 6, without FTS5 gets its index when there is one', async () => {
  await journal.close();
  rmSync(join(folder, 'journal.db'));
  journal = new SqliteJournal({ folder, hasFts5: false });
  await journal.open();
  await journal.commit([...rows, turn(0, 'walnut zero')]);
  await journal.close();
  const database = new DatabaseSync(join(folder, 'journal.db'));
  expect(database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'words'").all()).toEqual([]);
  database.exec(`DROP TABLE titles; DROP TABLE unindexed; DROP TABLE tokens;
    ALTER TABLE clients DROP COLUMN locale; ALTER TABLE clients DROP COLUMN past_epochs; PRAGMA user_version = 6`);
  database.close();
  journal = new SqliteJournal({ folder, hasFts5: false });
  await journal.open();
  // Titles have to be gathered first; turns are read where they are.
  expect(await find('walnut')).toEqual({ found: ['t0: walnut zero'], isComplete: false });
  while (await journal.fillIndex(0));
  expect(await find('walnut')).toEqual({
    found: ['title: Walnut cake', 't0: walnut zero'],
    isComplete: true,
  });
  await reopen();
  while (await journal.fillIndex(0));
  expect(await find('walnut')).toEqual({
    found: ['title: Walnut cake', 't0: walnut zero'],
    isComplete: true,
  });
});

test('without FTS5 a search lets everything else come through while it reads', async () => {
  await reopen({ hasFts5: false });
  const long = 'lorem ipsum dolor '.repeat(1_000);
  await journal.commit([...rows, ...Array.from({ length: 100 }, (_, n) => turn(n, `${long}${n}`))]);
  let turnsOfLoop = 0;
  let isDone = false;
  const count = (): void => {
    turnsOfLoop += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const page = await journal.search('nowhere', { limit: 10 });
  isDone = true;
  expect(page).toEqual({ hits: [], isComplete: true });
  expect(turnsOfLoop).toBeGreaterThan(10);
});

function envelopeAt(seq: number): JournalWrite {
  return { op: 'envelope', seq, channel: chat, time: seq, json: '{}' };
}
