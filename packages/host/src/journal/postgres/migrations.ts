import { JournalError } from '../journal.ts';
import { type Connection, number, text } from './connection.ts';
import { FENCED, REWOUND } from './errors.ts';

/** Oldest major version of PostgreSQL with all functions that the statements use. */
const LEAST_SERVER = 14;
/** Key of the advisory lock under which one host migrates while others wait. */
const MIGRATION_LOCK = 7_241_004;
/**
 * Longest wait for the lock of a table. The commits of all hosts queue behind a migration that waits, and a host without commits and renewals loses
 * its cell.
 */
const TABLE_LOCK_MS = 1_000;

/**
 * Version 1. All cells share these tables, and every key begins with the cell, so that the rows of a cell are neighbours in each index.
 * URIs are stored by their key (see stored-text.ts); `long_…` has the URI when its key is a digest.
 */
const createTables = `
  CREATE TABLE agenthost.cells (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    -- The lease: the token is of the host that holds the cell. Each host that takes the cell raises the epoch.
    epoch bigint NOT NULL DEFAULT 0,
    lease uuid,
    holder text,
    expires_at timestamptz,
    -- The last transaction of that host. Numbers of the server's transactions do not serve: a crash of the server may reuse them.
    mark bigint NOT NULL DEFAULT 0,
    -- The identity of the database that the host used last (see session.ts).
    server text,
    reserved_seq bigint NOT NULL DEFAULT 0,
    trimmed_seq bigint NOT NULL DEFAULT 0,
    trimmed_time bigint NOT NULL DEFAULT 0,
    lost text NOT NULL DEFAULT '[]'
  ) WITH (fillfactor = 50);

  -- Its lock makes the next host wait for the end of this transaction.
  CREATE FUNCTION agenthost.fence(wanted bigint, held uuid, former bigint, next bigint, ttl_ms float8)
  RETURNS void LANGUAGE plpgsql AS $fence$
  BEGIN
    UPDATE agenthost.cells SET mark = next, expires_at = clock_timestamp() + ttl_ms * interval '1 millisecond'
    WHERE id = wanted AND lease = held AND mark = former;
    IF FOUND THEN RETURN; END IF;
    IF EXISTS (SELECT 1 FROM agenthost.cells WHERE id = wanted AND lease = held) THEN
      RAISE EXCEPTION 'cell % is not at transaction %', wanted, former USING ERRCODE = '${REWOUND}';
    END IF;
    RAISE EXCEPTION 'cell % has another lease', wanted USING ERRCODE = '${FENCED}';
  END $fence$;

  CREATE TABLE agenthost.meta (
    cell bigint NOT NULL, key text COLLATE "C" NOT NULL, value text NOT NULL, PRIMARY KEY (cell, key)
  );

  -- total: bytes of all envelopes up to and including this one, so that the bytes between two rows are a subtraction.
  -- origin: digest of the dispatch that the envelope answers.
  CREATE TABLE agenthost.envelopes (
    cell bigint NOT NULL,
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
    cell bigint NOT NULL,
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
    cell bigint NOT NULL, uri text COLLATE "C" NOT NULL, long_uri text, PRIMARY KEY (cell, uri)
  );
  -- The oldest envelope that a channel's snapshot row does not reflect; no row when it reflects all.
  CREATE TABLE agenthost.stale (
    cell bigint NOT NULL, channel text COLLATE "C" NOT NULL, seq bigint NOT NULL, PRIMARY KEY (cell, channel)
  );
  CREATE INDEX stale_by_seq ON agenthost.stale (cell, seq);

  -- words: the folded words of the turn, each after the number of its cell and a colon.
  CREATE TABLE agenthost.turns (
    cell bigint NOT NULL,
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
    cell bigint NOT NULL,
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
    cell bigint NOT NULL,
    uri text COLLATE "C" NOT NULL,
    key bigint GENERATED ALWAYS AS IDENTITY,
    is_chat boolean NOT NULL,
    title text NOT NULL,
    words tsvector NOT NULL,
    PRIMARY KEY (cell, uri)
  );
  CREATE INDEX titles_by_word ON agenthost.titles USING gin (words);

  CREATE TABLE agenthost.sessions (
    cell bigint NOT NULL,
    uri text COLLATE "C" NOT NULL,
    long_uri text COLLATE "C",
    modified_at text COLLATE "C" NOT NULL,
    summary text NOT NULL,
    PRIMARY KEY (cell, uri)
  );
  CREATE INDEX sessions_by_time ON agenthost.sessions (cell, modified_at DESC, uri);

  CREATE TABLE agenthost.clients (
    cell bigint NOT NULL,
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
    cell bigint NOT NULL,
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
    cell bigint NOT NULL,
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
    cell bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    part integer NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (cell, id, part),
    FOREIGN KEY (cell, id) REFERENCES agenthost.contents ON DELETE CASCADE
  );
  -- Contents are mostly images and archives, which do not shrink.
  ALTER TABLE agenthost.content_chunks ALTER COLUMN data SET STORAGE EXTERNAL;

  CREATE TABLE agenthost.processes (
    cell bigint NOT NULL,
    -- The data folder of the host that started the process: each machine of a cell has its own.
    folder text COLLATE "C" NOT NULL,
    pid bigint NOT NULL,
    start_time text NOT NULL,
    command text NOT NULL,
    PRIMARY KEY (cell, folder, pid)
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

/** A step to the next version. */
interface Migration {
  readonly sql: string;
  /** The oldest version whose hosts can still use the tables. They go on while machines are upgraded one after the other. */
  readonly least: number;
}

/** All migrations in order. Append only: a released migration never changes. */
const migrations: readonly Migration[] = [
  { sql: createTables, least: 1 },
  { sql: addGateways, least: 1 },
];

/** The newest version that this host knows. */
const KNOWN_VERSION = migrations.length;

/** Whether a host of this version can use a database whose oldest usable version is `least`. */
export const isUsable = (least: number): boolean => least <= KNOWN_VERSION;

/**
 * Brings the database to the newest version, in one transaction. Hosts that start at the same time wait for each other. Leaves tables of a newer
 * host as they are. Rejects with `JournalError` 'newer' when this host cannot use those, and for a server that is too old; with 'locked', and no
 * change, when a reader holds the tables: call it again after a pause in which other hosts can commit.
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
  if (isKnown === true && (await readVersion(connection)).version === KNOWN_VERSION) return;
  await connection.execute('BEGIN');
  try {
    await connection.execute('SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
    await connection.execute(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await connection.execute(`SET LOCAL lock_timeout = ${TABLE_LOCK_MS}`);
    // Only the first host needs the right to create a schema.
    if (isKnown !== true) {
      await connection.execute(
        `SET LOCAL client_min_messages = warning;
         CREATE SCHEMA IF NOT EXISTS agenthost;
         CREATE TABLE IF NOT EXISTS agenthost.version (version integer NOT NULL, least integer NOT NULL);`,
      );
    }
    const { version, least } = await readVersion(connection);
    if (!isUsable(least)) {
      throw new JournalError(
        'newer',
        `database ${database} at ${address} has version ${version}, and this host knows versions up to ${KNOWN_VERSION}: ` +
          'install a newer agenthost, or choose another database',
      );
    }
    const missing = migrations.slice(version);
    for (const { sql } of missing) await connection.execute(sql);
    const newest = missing.at(-1);
    if (newest !== undefined) {
      await connection.execute(
        `DELETE FROM agenthost.version; INSERT INTO agenthost.version VALUES (${KNOWN_VERSION}, ${newest.least})`,
      );
    }
    await connection.execute('COMMIT');
  } catch (error) {
    if (!connection.isLost) await connection.execute('ROLLBACK');
    if (!(error instanceof JournalError) || error.code !== 'locked') throw error;
    const { reader, remedy } = await readReader(connection);
    throw new JournalError(
      'locked',
      `the tables of database ${database} at ${address} need an upgrade, and ${reader} holds them: ${remedy}`,
      { cause: error },
    );
  }
}

/** The oldest transaction of another program that holds a table, and what to do about it. The transactions of hosts are short. */
async function readReader(connection: Connection): Promise<{ reader: string; remedy: string }> {
  const { rows } = await connection.query(
    `SELECT pid, coalesce(nullif(application_name, ''), 'a reader') AS program FROM pg_stat_activity
     WHERE pid <> pg_backend_pid() AND datname = current_database() AND pid IN (
       SELECT pid FROM pg_locks JOIN pg_class ON pg_class.oid = relation
       WHERE granted AND relnamespace = to_regnamespace('agenthost'))
     ORDER BY application_name LIKE 'agenthost %', xact_start NULLS LAST LIMIT 1`,
  );
  const [row] = rows;
  if (row === undefined)
    return { reader: 'a reader such as pg_dump', remedy: 'wait until it ends, or end it' };
  const pid = number(row, 'pid');
  return {
    reader: `${text(row, 'program')} (process ${pid} of the server)`,
    remedy: `wait until it ends, or end it with SELECT pg_terminate_backend(${pid})`,
  };
}

async function readVersion(connection: Connection): Promise<{ version: number; least: number }> {
  const { rows } = await connection.query('SELECT version, least FROM agenthost.version');
  const [row] = rows;
  return row === undefined
    ? { version: 0, least: 0 }
    : { version: number(row, 'version'), least: number(row, 'least') };
}
