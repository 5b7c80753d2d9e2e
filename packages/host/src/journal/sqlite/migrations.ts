import type { DatabaseSync } from 'node:sqlite';
import { JournalError } from '../journal.ts';
import { convertJournal } from './convert-0.5.2.ts';
import { rollBack } from './errors.ts';
import { createWordIndex, markUnindexed } from './word-index.ts';

/** Brings a database from version n (its place in the list) to version n + 1. Runs inside a transaction of its own. */
export type Migration = (database: DatabaseSync) => void;

/**
 * Version 1. Indexes hold the small columns that are read often, and large JSON is the last column of its row, so that neither a page of
 * the catalogue nor a sum of sizes reads it.
 */
function createTables(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE internal (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

    -- One envelope a row, or neighbours on one channel; seq and time are those of its last.
    -- total: bytes of all envelopes up to and including these, so that the bytes between two rows are a subtraction.
    -- run: how to split the row into its envelopes (see envelope-rows.ts); bytes are those of their JSON, not of the row.
    CREATE TABLE envelopes (
      seq INTEGER PRIMARY KEY,
      first_seq INTEGER NOT NULL,
      channel TEXT NOT NULL,
      first_time INTEGER NOT NULL,
      time INTEGER NOT NULL,
      count INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      total INTEGER NOT NULL,
      origin_client TEXT,
      origin_epoch TEXT,
      origin_seq INTEGER,
      run TEXT,
      json TEXT NOT NULL
    );
    CREATE INDEX envelopes_by_channel ON envelopes (channel, seq, first_seq, bytes);
    CREATE INDEX envelopes_by_origin ON envelopes (origin_client, origin_epoch, origin_seq)
      WHERE origin_client IS NOT NULL;

    -- id gives the order of creation: an upsert keeps it.
    CREATE TABLE channels (
      id INTEGER PRIMARY KEY,
      uri TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      session TEXT,
      seq INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      local TEXT NOT NULL,
      state TEXT NOT NULL
    );
    CREATE INDEX channels_by_session ON channels (session, id) WHERE session IS NOT NULL;
    CREATE TABLE open_channels (uri TEXT PRIMARY KEY) WITHOUT ROWID;

    -- The oldest envelope that a channel's snapshot row does not reflect; no row when it reflects all.
    CREATE TABLE stale (channel TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX stale_by_seq ON stale (seq);

    CREATE TABLE turns (
      key INTEGER PRIMARY KEY,
      chat TEXT NOT NULL,
      ordinal INTEGER NOT NULL,
      id TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      json TEXT NOT NULL,
      UNIQUE (chat, ordinal)
    );
    CREATE INDEX turns_by_id ON turns (chat, id, ordinal, bytes);

    CREATE TABLE sessions (uri TEXT PRIMARY KEY, modified_at TEXT NOT NULL, summary TEXT NOT NULL);
    CREATE INDEX sessions_by_time ON sessions (modified_at DESC, uri);

    CREATE TABLE clients (
      id TEXT PRIMARY KEY,
      token_hash TEXT NOT NULL,
      version TEXT NOT NULL,
      epoch TEXT,
      last_client_seq INTEGER NOT NULL,
      seen_at INTEGER NOT NULL,
      subscriptions TEXT NOT NULL
    );

    CREATE TABLE contents (
      id TEXT PRIMARY KEY,
      session TEXT NOT NULL,
      content_type TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      data BLOB NOT NULL
    );
    CREATE INDEX contents_by_session ON contents (session, bytes);

    CREATE TABLE processes (pid INTEGER PRIMARY KEY, start_time TEXT NOT NULL, command TEXT NOT NULL);
  `);
}

/** Version 2. Contents are dropped with their turn. Older contents are dropped with their session, as before. */
function nameTurnsOfContents(database: DatabaseSync): void {
  database.exec(`
    ALTER TABLE contents ADD COLUMN chat TEXT;
    ALTER TABLE contents ADD COLUMN turn TEXT;
    CREATE INDEX contents_by_turn ON contents (chat, turn) WHERE chat IS NOT NULL;
  `);
}

/** Version 3. An index finds clients that were not seen for long. */
function orderClients(database: DatabaseSync): void {
  database.exec('CREATE INDEX clients_by_time ON clients (seen_at, id)');
}

/**
 * Version 4. The JSON of `envelopes` may be a blob (see compression.ts). Older rows stay as they are. Older hosts would take the new rows
 * for damage; the version number makes them refuse the database instead.
 */
function allowCompressedEnvelopes(): void {}

/**
 * Version 5. A channel's state has a row of its own. The `local` of a terminal is written with each piece of output, and SQLite rewrites a
 * whole row, including up to 1 MiB of state.
 */
function separateStates(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE states (channel TEXT PRIMARY KEY, state TEXT NOT NULL);
    INSERT INTO states (channel, state) SELECT uri, state FROM channels;
    ALTER TABLE channels ADD COLUMN state_bytes INTEGER NOT NULL DEFAULT 0;
    UPDATE channels SET state_bytes = octet_length(state);
    ALTER TABLE channels DROP COLUMN state;
  `);
}

/**
 * Version 6. Copies of chats share rows of `turns` and contents (see turns.ts). Existing rows stay as they are, since a chat without
 * shared turns has no row in `spans`.
 */
function shareTurns(database: DatabaseSync): void {
  database.exec(`
    -- session: of the chat. home: of the chat that the line was written by, which its contents name as theirs.
    CREATE TABLE spans (
      chat TEXT NOT NULL,
      start INTEGER NOT NULL,
      stop INTEGER NOT NULL,
      line TEXT NOT NULL,
      session TEXT,
      home TEXT,
      PRIMARY KEY (chat, start)
    ) WITHOUT ROWID;
    CREATE INDEX spans_by_line ON spans (line, chat, start, stop, session, home);
    CREATE INDEX spans_by_home ON spans (home, line);
  `);
}

/**
 * Version 7. Titles, and the rows that the word index lacks (see search-writer.ts). The host indexes those in slices while it runs.
 * Version 13 creates the index itself.
 */
function indexWords(database: DatabaseSync): void {
  database.exec(`
    -- session: of a chat; NULL for a session's own.
    CREATE TABLE titles (key INTEGER PRIMARY KEY, uri TEXT NOT NULL UNIQUE, session TEXT, title TEXT NOT NULL);
    -- Rows of these tables below these keys are not in the index yet.
    CREATE TABLE unindexed (source TEXT PRIMARY KEY, below INTEGER NOT NULL) WITHOUT ROWID;
  `);
  markUnindexed(database);
}

/** Version 8. The language of a client, which sends it only in its first handshake. */
function rememberLocales(database: DatabaseSync): void {
  database.exec('ALTER TABLE clients ADD COLUMN locale TEXT');
}

/** Version 9. Access tokens beside the owner's, as hashes of their secrets. `key` gives the order of creation. */
function keepTokens(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE tokens (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      hash TEXT NOT NULL UNIQUE,
      name TEXT,
      scope TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      last_used_at INTEGER,
      expires_at INTEGER
    );
  `);
}

/** Version 10. Earlier epochs of a client id that may return (see `StoredClient`). */
function rememberEpochs(database: DatabaseSync): void {
  database.exec('ALTER TABLE clients ADD COLUMN past_epochs TEXT');
}

/**
 * Version 11. Rows of `envelopes` may leave out how their envelopes end: see prefix-rows.ts. Older rows stay as they are. The version
 * number keeps off hosts that would take the new rows for damage.
 */
function allowRunsWithoutEnds(): void {}

/**
 * Version 12. The state of a channel may be a blob (see compression.ts), since the state of a terminal takes a mebibyte and more and is
 * written again and again during a flood. `state_bytes` is still the size of the JSON. Older rows stay as they are.
 */
function allowCompressedStates(): void {}

/**
 * Version 13. The word index. Hosts of earlier versions created it at start when their SQLite had FTS5, and set `wordsStale` when it
 * had not.
 */
function ensureWordIndex(database: DatabaseSync): void {
  const has = (sql: string): boolean => database.prepare(sql).get() !== undefined;
  const isStale = has("SELECT 1 FROM internal WHERE key = 'wordsStale'");
  if (!isStale && has("SELECT 1 FROM sqlite_schema WHERE name = 'words'")) return;
  createWordIndex(database);
  database.exec("DELETE FROM internal WHERE key = 'wordsStale'");
}

/**
 * Version 14. Rows of `envelopes` join the envelopes of a tick, as envelope-rows.ts describes. Rows of older versions stay as they are,
 * and prefix-rows.ts reads them.
 */
function allowJoinedRows(): void {}

/** Version 15. Protocol 1.0: see convert-0.5.2.ts. */
function speakVersionOne(database: DatabaseSync): void {
  convertJournal(database);
}

/** All migrations in order. Append only: a released migration never changes. */
export const migrations: readonly Migration[] = [
  createTables,
  nameTurnsOfContents,
  orderClients,
  allowCompressedEnvelopes,
  separateStates,
  shareTurns,
  indexWords,
  rememberLocales,
  keepTokens,
  rememberEpochs,
  allowRunsWithoutEnds,
  allowCompressedStates,
  ensureWordIndex,
  allowJoinedRows,
  speakVersionOne,
];

/** The version of the database; 0 when it is empty. */
export function readVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
}

/** Throws `JournalError` 'newer', which names both versions, for the database of a newer host. Changes nothing. */
export function refuseNewer(database: DatabaseSync, path: string, known: number): void {
  const version = readVersion(database);
  if (version <= known) return;
  throw new JournalError(
    'newer',
    `${path} has version ${version}, and this host knows versions up to ${known}: ` +
      'install a newer agenthost, restore a backup from before the upgrade, or choose another data folder',
  );
}

/** Brings the database to the newest version. Each step is a transaction, so that a kill leaves the database at a whole version. */
export function migrate(database: DatabaseSync, steps: readonly Migration[]): void {
  const version = readVersion(database);
  for (const [index, step] of steps.entries()) {
    if (index < version) continue;
    database.exec('BEGIN IMMEDIATE');
    try {
      step(database);
      database.exec(`PRAGMA user_version = ${index + 1}`);
      database.exec('COMMIT');
    } catch (error) {
      rollBack(database);
      throw error;
    }
  }
}
