import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { migrations } from '../src/journal/sqlite/migrations.ts';
import { SqliteJournal } from '../src/journal/sqlite/sqlite-journal.ts';
import { startHost } from './host-fixture.ts';

/**
 * Journals of each earlier version of the schema, written by the last code of that version: a session with two chats, two turns, two contents,
 * an envelope, a token (from version 9 on) and a value.
 */
const FOLDER = fileURLToPath(new URL('./journals/', import.meta.url));
const versions = readdirSync(FOLDER)
  .flatMap((name) => /^schema-(\d+)\.db\.gz$/.exec(name)?.[1] ?? [])
  .map(Number)
  .toSorted((one, other) => one - other);

const CHAT = 'ahp-chat:/bd9cc79f-6680-4159-90ea-4bb7ec264c13';

/** A data folder with the journal of a version. */
function folderOf(version: number): string {
  const root = mkdtempSync(join(tmpdir(), 'agenthost-earlier-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'data');
  mkdirSync(folder, { mode: 0o700 });
  const bytes = gunzipSync(readFileSync(join(FOLDER, `schema-${version}.db.gz`)));
  writeFileSync(join(folder, 'journal.db'), bytes, { mode: 0o600 });
  return folder;
}

const journalIn = (folder: string): SqliteJournal =>
  new SqliteJournal({ folder, now: () => Date.parse('2026-11-24'), bootId: () => 'boot' });

test('there is a journal of every earlier version', () => {
  expect(versions).toEqual(Array.from({ length: migrations.length - 1 }, (_, index) => index + 1));
});

test.each(versions)(
  '[CONN-4] a journal of version %i opens with its data, and its numbers go on',
  async (version) => {
    const folder = folderOf(version);
    const journal = journalIn(folder);
    expect((await journal.open()).reservedSeq).toBeGreaterThanOrEqual(100);
    expect(await journal.listSessions({})).toMatchObject([{ uri: 'ahp-session:/one' }]);
    const turns = await journal.readTurns(CHAT, {});
    expect(turns.map(({ id }) => id)).toEqual(['t1', 't4']);
    expect((await journal.readContent('content-1'))?.data.length).toBe(10_000);
    expect(Buffer.from((await journal.readContent('content-2'))?.data ?? []).toString()).toBe('of a turn');
    expect(await journal.listTokens()).toHaveLength(version < 9 ? 0 : 1);
    expect(await journal.readMeta('fixture')).toBe('kept');
    await journal.close();
    const database = new DatabaseSync(join(folder, 'journal.db'));
    expect(Object.values(database.prepare('PRAGMA user_version').get() ?? {})).toEqual([migrations.length]);
    expect(Object.values(database.prepare('PRAGMA integrity_check').get() ?? {})).toEqual(['ok']);
    database.close();
  },
);

test('a host shows the session of a journal of version 1', async () => {
  const host = await startHost({ journal: journalIn(folderOf(1)) });
  const client = await host.client('new');
  const { state } = await client.subscribe('ahp-session:/one');
  expect(state).toMatchObject({ title: 'say hello', defaultChat: CHAT });
  const chat = await client.subscribe(CHAT);
  expect(chat.state).toMatchObject({ turns: [{ id: 't1', message: { text: 'say hello' } }, { id: 't4' }] });
});
