import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { channel, chat, session } from '../contract/rows.ts';
import type { Journal, JournalWrite } from '../journal.ts';
import { largeChannel } from './journal-folder.ts';
import { migrations } from './migrations.ts';
import { SqliteJournal } from './sqlite-journal.ts';

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

/** A database as a host of version 6 left it, without an index. */
async function older(turns: readonly JournalWrite[]): Promise<void> {
  await journal.commit([...rows, ...turns]);
  await journal.close();
  const database = new DatabaseSync(join(folder, 'journal.db'));
  database.exec(`DROP TABLE words; DROP TABLE titles; DROP TABLE unindexed; DROP TABLE tokens;
    ALTER TABLE clients DROP COLUMN locale; ALTER TABLE clients DROP COLUMN past_epochs; PRAGMA user_version = 6`);
  database.close();
  journal = new SqliteJournal({ folder });
  await journal.open();
  expect(migrations.length).toBe(15);
}

test('a rebuilt index includes the titles of chats whose states are compressed', async () => {
  await journal.commit([...rows, { ...largeChannel('ahp-chat:/large', 7), session }]);
  await journal.close();
  const database = new DatabaseSync(join(folder, 'journal.db'));
  // A host whose SQLite had no FTS5 made no index.
  database.exec('DROP TABLE words; PRAGMA user_version = 12');
  database.close();
  journal = new SqliteJournal({ folder });
  await journal.open();
  expect(await find('7')).toEqual({ found: [], isComplete: false });
  while (await journal.fillIndex(0));
  expect(await find('7')).toEqual({ found: ['title: Walnut 7'], isComplete: true });
});

test('data of version 6 is indexed in slices, and until then a search reports that it is incomplete', async () => {
  await older(Array.from({ length: 300 }, (_, n) => turn(n, `walnut ${n}`)));
  expect(await find('walnut')).toEqual({ found: [], isComplete: false });
  await journal.commit([turn(300, 'walnut new')]);
  expect(await find('new')).toEqual({ found: ['t300: walnut new'], isComplete: false });
  // Truncated and written again before the index reaches it.
  await journal.commit([{ op: 'dropTurns', chat, from: 298 }, turn(298, 'other')]);
  let slices = 1;
  while (await journal.fillIndex(0)) slices += 1;
  expect(slices).toBeGreaterThan(300);
  expect(await find('walnut 297')).toEqual({ found: ['t297: walnut 297'], isComplete: true });
  expect(await find('walnut 298')).toMatchObject({ found: [] });
  expect(await find('cake')).toMatchObject({ found: ['title: Walnut cake'] });
  expect(await find('hazelnut')).toMatchObject({ found: ['title: Hazelnut'] });
});

test('the index holds no text, is rolled back with a failed commit, and is complete after an optimization', async () => {
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

test('an index that a host without FTS5 marked as stale is rebuilt', async () => {
  await journal.commit([...rows, turn(0, 'walnut zero')]);
  await journal.close();
  const database = new DatabaseSync(join(folder, 'journal.db'));
  // As such a host left it: with turns and without words.
  database.exec("INSERT INTO internal VALUES ('wordsStale', 'true'); PRAGMA user_version = 12");
  database.exec("UPDATE turns SET json = replace(json, 'walnut', 'almond')");
  database.close();
  journal = new SqliteJournal({ folder });
  await journal.open();
  expect(await find('almond')).toEqual({ found: [], isComplete: false });
  while (await journal.fillIndex(0));
  expect(await find('almond')).toEqual({ found: ['t0: almond zero'], isComplete: true });
  expect(await find('cake')).toMatchObject({ found: ['title: Walnut cake'] });
});

function envelopeAt(seq: number): JournalWrite {
  return { op: 'envelope', seq, channel: chat, time: seq, json: '{}' };
}
