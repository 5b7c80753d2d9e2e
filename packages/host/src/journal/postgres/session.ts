import { JournalError } from '../journal.ts';
import { Connection, number, optionalText, type Server } from './connection.ts';
import { RESTORED, UPGRADED } from './errors.ts';
import { isUsable } from './migrations.ts';

/** Time limit of a statement on the server. */
export const DEFAULT_STATEMENT_MS = 8_000;
/** A connection without an answer is abandoned after this multiple of that time. */
const SILENCE_FACTOR = 1.25;
/** The server ends a transaction that waits longer for its host, so that a paused host does not keep others from taking the cell. */
const IDLE_WRITE_MS = 3_000;
/** The limit for a transaction that only reads. It blocks no other transaction, but the server cannot remove old rows meanwhile. */
const IDLE_READ_MS = 60_000;

/** The connections of a host that holds a cell, or waits for it. */
export interface SessionOptions extends Server {
  /** Name of the cell. */
  readonly name: string;
  /** Time limit of a statement on the server, in ms. Default 8,000. */
  readonly statementMs?: number | undefined;
}

/**
 * Connects with the settings of a host. `identity`: of the database that the host has used until now (see `readIdentity`). Rejects with
 * `JournalError`: 'lost' when the server has other data.
 */
export async function openSession(
  { name, statementMs = DEFAULT_STATEMENT_MS, ...server }: SessionOptions,
  kind: 'read' | 'write',
  identity?: string,
): Promise<Connection> {
  const connection = await Connection.open(server, name, statementMs * SILENCE_FACTOR);
  const settings = {
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: kind === 'read' ? IDLE_READ_MS : IDLE_WRITE_MS,
    // Commits are durable when they resolve, whatever the default of the database is.
    ...(kind === 'write' && { synchronous_commit: 'on', lock_timeout: statementMs / 2 }),
    // The server detects lost machines, and ends their transactions.
    tcp_keepalives_idle: 2,
    tcp_keepalives_interval: 2,
    tcp_keepalives_count: 3,
    tcp_user_timeout: 10_000,
  };
  try {
    await connection.execute(
      Object.entries(settings)
        .map(([setting, value]) => `SET ${setting} = ${value}`)
        .join('; '),
    );
    if (identity !== undefined && (await readIdentity(connection)) !== identity)
      throw new JournalError('lost', RESTORED);
    return connection;
  } catch (error) {
    await connection.end();
    throw error;
  }
}

/**
 * Identifies the data of a server: its system identifier, the timeline that it writes, and the table of the cells. The timeline of
 * `pg_control_checkpoint()` would be that of the last checkpoint, which may be from before a promotion. A table that was restored from a dump
 * has another object identifier. A restored snapshot of the server's volume has the same identity. Rejects with 'unreachable' for a standby of
 * the database, and with 'lost' when a newer host has changed the tables so that this one cannot use them.
 */
export async function readIdentity(connection: Connection): Promise<string> {
  const { rows } = await connection.query(
    `SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE
       (SELECT system_identifier FROM pg_control_system())::text
       || '/' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)
       || '/' || 'agenthost.cells'::regclass::oid::text END AS identity,
       (SELECT least FROM agenthost.version)`,
  );
  const row = rows[0] ?? {};
  if (!isUsable(number(row, 'least'))) throw new JournalError('lost', UPGRADED);
  const identity = optionalText(row, 'identity');
  if (identity !== undefined) return identity;
  throw new JournalError(
    'unreachable',
    `PostgreSQL at ${connection.place.address} is read-only, as a standby is: connect to the primary`,
  );
}
