import { JournalError } from '../journal.ts';
import { type Connection, number } from './connection.ts';
import { FENCED } from './errors.ts';

/** Oldest major version of PostgreSQL with all functions that the statements use. */
const LEAST_SERVER = 14;
/** Key of the advisory lock under which one host migrates while others wait. */
const MIGRATION_LOCK = 7_241_004;

/**
 * Version 1. All cells share these tables, and every key begins with the cell, so that the rows of a cell are neighbours in each index.
 * URIs are stored by their key (see stored-text.ts); `long_…` has the URI when its key is a digest.
 */
const createTables = `
  CREATE TABLE agenthost.cells (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    -- The lease: raised by each host that takes it. A commit is valid only under the epoch of its host.
    epoch bigint NOT NULL DEFAULT 0,
    holder text,
    expires_at timestamptz,
    -- The last transaction of that host. Numbers of the server's transactions do not serve: a crash of the server may reuse them.
    mark bigint NOT NULL DEFAULT 0,
    -- The server and its timeline that the host used last.
    server text,
    reserved_seq bigint NOT NULL DEFAULT 0,
    trimmed_seq bigint NOT NULL DEFAULT 0,
    trimmed_time bigint NOT NULL DEFAULT 0,
    lost text NOT NULL DEFAULT '[]'
  ) WITH (fillfactor = 50);

  -- Its lock makes the next host wait for the end of this transaction.
  CREATE FUNCTION agenthost.fence(wanted integer, held bigint, next bigint) RETURNS void LANGUAGE plpgsql AS $fence$
  BEGIN
    UPDATE agenthost.cells SET mark = next WHERE id = wanted AND epoch = held;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'cell % has another epoch than %', wanted, held USING ERRCODE = '${FENCED}';
    END IF;
  END $fence$;

  CREATE TABLE agenthost.meta (
    cell integer NOT NULL, key text COLLATE "C" NOT NULL, value text NOT NULL, PRIMARY KEY (cell, key)
  );

  -- total: bytes of all envelopes up to and including this one, so that the bytes between two rows are a subtraction.
  -- origin: digest of the dispatch that the envelope answers.
  CREATE TABLE agenthost.envelopes (
    cell integer NOT NULL,
    seq bigint NOT NULL,
    time bigint NOT NULL,
    bytes bigint NOT NULL,
    total bigint NOT NULL,
    channel text COLLATE "C" NOT NULL,
    long_channel text,
    origin bytea,
    json text NOT NULL,
    PRIMARY KEY (cell, seq)
  );
  CREATE INDEX envelopes_by_channel ON agenthost.envelopes (cell, channel, seq) INCLUDE (bytes);
  CREATE INDEX envelopes_by_origin ON agenthost.envelopes (cell, origin) WHERE origin IS NOT NULL;

  -- id gives the order of creation: an upsert keeps it.
  CREATE TABLE agenthost.channels (
    cell integer NOT NULL,
    uri text COLLATE "C" NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    long_uri text,
    kind text NOT NULL,
    session text COLLATE "C",
    long_session text,
    seq bigint NOT NULL,
    state_bytes bigint NOT NULL,
    bytes bigint NOT NULL,
    local text NOT NULL,
    state text NOT NULL,
    PRIMARY KEY (cell, uri)
  );
  CREATE INDEX channels_by_session ON agenthost.channels (cell, session, id) WHERE session IS NOT NULL;
  CREATE TABLE agenthost.open_channels (
    cell integer NOT NULL, uri text COLLATE "C" NOT NULL, long_uri text, PRIMARY KEY (cell, uri)
  );
  -- The oldest envelope that a channel's snapshot row does not reflect; no row when it reflects all.
  CREATE TABLE agenthost.stale (
    cell integer NOT NULL, channel text COLLATE "C" NOT NULL, seq bigint NOT NULL, PRIMARY KEY (cell, channel)
  );
  CREATE INDEX stale_by_seq ON agenthost.stale (cell, seq);

  -- words: the folded words of the turn, each after the number of its cell and a colon.
  CREATE TABLE agenthost.turns (
    cell integer NOT NULL,
    chat text COLLATE "C" NOT NULL,
    ordinal bigint NOT NULL,
    key bigint GENERATED ALWAYS AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    bytes bigint NOT NULL,
    words tsvector NOT NULL,
    json text NOT NULL,
    PRIMARY KEY (cell, chat, ordinal)
  );
  CREATE UNIQUE INDEX turns_by_key ON agenthost.turns (cell, key);
  CREATE INDEX turns_by_id ON agenthost.turns (cell, chat, id, ordinal);
  CREATE INDEX turns_by_word ON agenthost.turns USING gin (words);
  -- Copies of chats share rows of turns (see ../spans.ts).
  CREATE TABLE agenthost.spans (
    cell integer NOT NULL,
    chat text COLLATE "C" NOT NULL,
    start bigint NOT NULL,
    stop bigint NOT NULL,
    line text COLLATE "C" NOT NULL,
    session text COLLATE "C",
    home text COLLATE "C",
    PRIMARY KEY (cell, chat, start)
  );
  CREATE INDEX spans_by_line ON agenthost.spans (cell, line);
  CREATE INDEX spans_by_home ON agenthost.spans (cell, home);

  CREATE TABLE agenthost.titles (
    cell integer NOT NULL,
    uri text COLLATE "C" NOT NULL,
    key bigint GENERATED ALWAYS AS IDENTITY,
    is_chat boolean NOT NULL,
    title text NOT NULL,
    words tsvector NOT NULL,
    PRIMARY KEY (cell, uri)
  );
  CREATE INDEX titles_by_word ON agenthost.titles USING gin (words);

  CREATE TABLE agenthost.sessions (
    cell integer NOT NULL,
    uri text COLLATE "C" NOT NULL,
    long_uri text COLLATE "C",
    modified_at text COLLATE "C" NOT NULL,
    summary text NOT NULL,
    PRIMARY KEY (cell, uri)
  );
  CREATE INDEX sessions_by_time ON agenthost.sessions (cell, modified_at DESC, uri);

  CREATE TABLE agenthost.clients (
    cell integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    token_hash text NOT NULL,
    version text NOT NULL,
    epoch text,
    last_client_seq bigint NOT NULL,
    seen_at bigint NOT NULL,
    locale text,
    past_epochs text,
    subscriptions text NOT NULL,
    PRIMARY KEY (cell, id)
  );
  CREATE INDEX clients_by_time ON agenthost.clients (cell, seen_at, id);
  CREATE TABLE agenthost.tokens (
    cell integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    key bigint GENERATED ALWAYS AS IDENTITY,
    hash text NOT NULL,
    name text,
    scope text NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint,
    expires_at bigint,
    PRIMARY KEY (cell, id),
    UNIQUE (cell, hash)
  );

  CREATE TABLE agenthost.contents (
    cell integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    chat text COLLATE "C",
    turn text COLLATE "C",
    content_type text NOT NULL,
    bytes bigint NOT NULL,
    PRIMARY KEY (cell, id)
  );
  CREATE INDEX contents_by_session ON agenthost.contents (cell, session) INCLUDE (bytes);
  CREATE INDEX contents_by_turn ON agenthost.contents (cell, chat, turn) WHERE chat IS NOT NULL;
  CREATE TABLE agenthost.content_chunks (
    cell integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    part integer NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (cell, id, part),
    FOREIGN KEY (cell, id) REFERENCES agenthost.contents ON DELETE CASCADE
  );
  -- Contents are mostly images and archives, which do not shrink.
  ALTER TABLE agenthost.content_chunks ALTER COLUMN data SET STORAGE EXTERNAL;

  CREATE TABLE agenthost.processes (
    cell integer NOT NULL,
    pid bigint NOT NULL,
    start_time text NOT NULL,
    command text NOT NULL,
    PRIMARY KEY (cell, pid)
  );
`;

/**
 * Version 2. `announced`: how gateways reach the host that holds the cell, as JSON (see announcement.ts). The index gives the newest sessions
 * of all cells.
 */
const addGateways = `
  ALTER TABLE agenthost.cells ADD COLUMN announced text;
  CREATE INDEX sessions_of_all ON agenthost.sessions (modified_at DESC, cell, uri);
`;

/** All migrations in order. Append only: a released migration never changes. */
const migrations: readonly string[] = [createTables, addGateways];

/**
 * Brings the database to the newest version, in one transaction. Hosts that start at the same time wait for each other. Rejects with
 * `JournalError` 'newer' for the tables of a newer host, and for a server that is too old.
 */
export async function migrate(connection: Connection): Promise<void> {
  const { rows } = await connection.query(
    `SELECT current_setting('server_version_num')::int / 10000 AS major, to_regclass('agenthost.version') IS NOT NULL AS is_known`,
  );
  const [{ major, is_known: isKnown } = {}] = rows;
  const { address, database } = connection.place;
  if (Number(major) < LEAST_SERVER) {
    throw new JournalError(
      'newer',
      `PostgreSQL at ${address} has version ${Number(major)}: agenthost needs version ${LEAST_SERVER} or newer`,
    );
  }
  if (isKnown === true && (await readVersion(connection)) === migrations.length) return;
  await connection.execute('BEGIN');
  try {
    await connection.execute(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    // Only the first host needs the right to create a schema.
    if (isKnown !== true) {
      await connection.execute(
        `SET LOCAL client_min_messages = warning;
         CREATE SCHEMA IF NOT EXISTS agenthost;
         CREATE TABLE IF NOT EXISTS agenthost.version (version integer NOT NULL);`,
      );
    }
    const version = await readVersion(connection);
    if (version > migrations.length) {
      throw new JournalError(
        'newer',
        `database ${database} at ${address} has version ${version}, and this host knows versions up to ${migrations.length}: ` +
          'install a newer agenthost, or choose another database',
      );
    }
    for (const sql of migrations.slice(version)) await connection.execute(sql);
    await connection.execute(
      `DELETE FROM agenthost.version; INSERT INTO agenthost.version VALUES (${migrations.length})`,
    );
    await connection.execute('COMMIT');
  } catch (error) {
    if (!connection.isLost) await connection.execute('ROLLBACK');
    throw error;
  }
}

async function readVersion(connection: Connection): Promise<number> {
  const { rows } = await connection.query('SELECT version FROM agenthost.version');
  return rows[0] === undefined ? 0 : number(rows[0], 'version');
}
