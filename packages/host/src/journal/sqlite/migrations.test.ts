import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { chat, create, file, largeChannel, largeEnvelope, useJournalFolder } from './journal-folder.ts';
import { migrations } from './migrations.ts';

useJournalFolder();

/** Up to the version before the protocol's 1.0, which keeps no envelopes and converts states. The formats of rows are the same. */
const formats = migrations.slice(0, 14);

describe('migrations', () => {
  const addColumn = (database: DatabaseSync) => {
    database.exec("ALTER TABLE sessions ADD COLUMN note TEXT NOT NULL DEFAULT 'none'");
    database.exec("UPDATE sessions SET note = 'migrated'");
  };

  function query(sql: string): unknown {
    const database = new DatabaseSync(file('journal.db'));
    try {
      return Object.values(database.prepare(sql).get() ?? {})[0];
    } finally {
      database.close();
    }
  }

  async function begin(): Promise<void> {
    const journal = create();
    await journal.open();
    await journal.commit([
      { op: 'session', uri: 's', modifiedAt: '2026-01-01T00:00:00.000Z', summary: '{}' },
    ]);
    await journal.close();
  }

  test('an empty file gets the newest version, and a database of the previous version is migrated with its data', async () => {
    await begin();
    expect(query('PRAGMA user_version')).toBe(migrations.length);
    const journal = create({ migrations: [...migrations, addColumn] });
    await journal.open();
    expect(await journal.listSessions({})).toMatchObject([{ uri: 's', summary: '{}' }]);
    await journal.close();
    expect([query('PRAGMA user_version'), query('SELECT note FROM sessions')]).toEqual([
      migrations.length + 1,
      'migrated',
    ]);
  });

  test('contents of version 1 belong to their session alone', async () => {
    const old = create({ migrations: migrations.slice(0, 1) });
    await old.open();
    await old.close();
    const database = new DatabaseSync(file('journal.db'));
    database.exec("INSERT INTO contents VALUES ('x', 's', 'text/plain', 1, x'61')");
    database.close();
    const journal = create();
    await journal.open();
    expect(await journal.diskUse('s')).toMatchObject({ contentBytes: 1 });
    await journal.commit([
      { op: 'turn', chat, ordinal: 0, id: 't', json: '{}' },
      { op: 'dropTurns', chat, from: 0 },
    ]);
    expect(Buffer.from((await journal.readContent('x'))?.data ?? []).toString()).toBe('a');
    await journal.commit([{ op: 'dropSession', uri: 's' }]);
    expect(await journal.readContent('x')).toBeUndefined();
  });

  test('large envelopes that version 3 held as text are read beside newer compressed ones', async () => {
    const old = create({ migrations: migrations.slice(0, 3) });
    await old.open();
    await old.commit([largeEnvelope(1)]);
    await old.close();
    // As a host of that version wrote it.
    const database = new DatabaseSync(file('journal.db'));
    database.prepare('UPDATE envelopes SET json = ?').run(largeEnvelope(1).json);
    database.close();
    const journal = create({ migrations: formats });
    await journal.open();
    await journal.commit([largeEnvelope(2)]);
    const read = await journal.readEnvelopes([chat], 0, 5, 1e9);
    expect(read?.map(({ json }) => json)).toEqual([largeEnvelope(1).json, largeEnvelope(2).json]);
    await journal.close();
    expect(query('SELECT group_concat(typeof(json)) FROM envelopes')).toBe('text,blob');
    expect(query('PRAGMA user_version')).toBe(formats.length);
    await expect(create({ migrations: migrations.slice(0, 3) }).open()).rejects.toMatchObject({
      code: 'newer',
    });
  });

  test('states of version 4 are moved to a table of their own, and are deleted with their channels', async () => {
    const old = create({ migrations: migrations.slice(0, 4) });
    await old.open();
    await old.close();
    const database = new DatabaseSync(file('journal.db'));
    database.exec(
      `INSERT INTO channels (uri, kind, seq, bytes, local, state) VALUES ('${chat}', 'chat', 3, 10, '{"l":1}', '{"s":"é"}')`,
    );
    database.close();
    const journal = create();
    await journal.open();
    expect(await journal.readChannel(chat)).toMatchObject({ seq: 3, state: '{"s":"é"}', local: '{"l":1}' });
    await journal.commit([{ op: 'local', uri: chat, local: '{"l":234}' }]);
    expect(await journal.readChannel(chat)).toMatchObject({ state: '{"s":"é"}', local: '{"l":234}' });
    expect(await journal.diskUse(chat)).toMatchObject({ stateBytes: 19 });
    await journal.commit([{ op: 'dropChannel', uri: chat }]);
    expect(await journal.readChannel(chat)).toBeUndefined();
    await journal.close();
    expect(query('SELECT count(*) FROM states')).toBe(0);
  });

  test('large states that version 11 held as text are read beside newer compressed ones, and count in full', async () => {
    const old = create({ migrations: migrations.slice(0, 11) });
    await old.open();
    await old.commit([largeChannel('old', 1, 'terminal')]);
    await old.close();
    // As a host of that version wrote it.
    const database = new DatabaseSync(file('journal.db'));
    database.prepare('UPDATE states SET state = ?').run(largeChannel('old', 1).state);
    database.close();
    const journal = create({ migrations: formats });
    await journal.open();
    await journal.commit([largeChannel('new', 2), { op: 'local', uri: 'new', local: '{"l":1}' }]);
    expect(await journal.readChannel('old')).toMatchObject({ state: largeChannel('old', 1).state });
    expect(await journal.readChannel('new')).toMatchObject({ state: largeChannel('new', 2).state });
    const stateBytes = Buffer.byteLength(largeChannel('new', 2).state) + '{"l":1}'.length;
    expect(await journal.diskUse('new')).toMatchObject({ stateBytes });
    await journal.close();
    expect(query('SELECT group_concat(typeof(state)) FROM states')).toBe('text,blob');
    expect(query("SELECT max(length(state)) < 2000 FROM states WHERE typeof(state) = 'blob'")).toBe(1);
    await expect(create({ migrations: migrations.slice(0, 11) }).open()).rejects.toMatchObject({
      code: 'newer',
    });
  });

  test('a failed migration leaves the previous version intact', async () => {
    await begin();
    const broken = (database: DatabaseSync) => {
      addColumn(database);
      database.exec('SELECT * FROM absent');
    };
    await expect(create({ migrations: [...migrations, broken] }).open()).rejects.toThrow('absent');
    expect(query('PRAGMA user_version')).toBe(migrations.length);
    const journal = create();
    await journal.open();
    expect(await journal.listSessions({})).toHaveLength(1);
  });

  test('an older host refuses a newer database, names both versions and leaves it unchanged', async () => {
    const newer = create({ migrations: [...migrations, addColumn, () => {}] });
    await newer.open();
    await newer.close();
    const before = readFileSync(file('journal.db'));
    const refusal = create().open();
    await expect(refusal).rejects.toMatchObject({ name: 'JournalError', code: 'newer' });
    await expect(refusal).rejects.toThrow(
      new RegExp(`version ${migrations.length + 2}.*up to ${migrations.length}`),
    );
    expect(readFileSync(file('journal.db')).equals(before)).toBe(true);
  });
});
