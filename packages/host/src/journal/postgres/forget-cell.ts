import { JournalError } from '../journal.ts';
import { type Connection, number, optionalText, type Server, text } from './connection.ts';
import { checkFleetTables } from './fleet.ts';
import { openSession } from './session.ts';

/** Rows that one statement deletes, so that none takes long. Most rows have at most 512 KiB. */
const BATCH_ROWS = 200;
/** Rows that are found at once. Each search visits the deleted rows that the server still keeps for open snapshots. */
const FOUND_ROWS = 20_000;

/** The names of cells whose rows are being deleted begin so. No host can have such a name. */
const HIDDEN = '/forgotten ';

/** Resolves with the number of sessions of a cell that no host holds. Rejects with `JournalError`: 'missing' for an unknown cell, 'locked' for one that a host holds. */
export function countSessionsOfCell(server: Server, name: string): Promise<number> {
  return withDatabase(server, async (connection) => {
    const { rows } = await connection.query(
      `SELECT (SELECT count(*) FROM agenthost.sessions WHERE cell = id) AS session_count
       FROM agenthost.cells WHERE name = $1 AND coalesce(expires_at <= clock_timestamp(), true)`,
      [name],
    );
    const [row] = rows;
    if (row !== undefined) return number(row, 'session_count');
    // An interrupted call of `forgetCell` can be repeated.
    const refusal = await refusalOf(connection, name);
    if (refusal.code === 'missing' && (await readHidden(connection)).some((cell) => cell.name === name))
      return 0;
    throw refusal;
  });
}

/**
 * Removes a cell that no host holds, with everything in it. One transaction renames the cell and deletes its list of sessions; it waits for a transaction of a former
 * holder, and no host can take the cell after it. The other rows are then deleted in short transactions, which lock nothing of other cells. Later calls, for any
 * cell, delete the rows that an interrupted call has left. Resolves with the number of sessions. Rejects as `countSessionsOfCell`.
 */
export function forgetCell(server: Server, name: string): Promise<number> {
  return withDatabase(server, async (connection) => {
    const hidden = await hideCell(connection, name);
    const all = await readHidden(connection);
    for (const { id } of all) await deleteRows(connection, id);
    if (hidden !== undefined) return hidden;
    // A host may have taken a new cell with the name of one whose rows were left.
    const refusal = await refusalOf(connection, name);
    if (refusal.code === 'missing' && all.some((cell) => cell.name === name)) return 0;
    throw refusal;
  });
}

async function withDatabase<T>(server: Server, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await openSession({ ...server, name: 'forget' }, 'write');
  try {
    await checkFleetTables(connection);
    return await work(connection);
  } finally {
    await connection.end();
  }
}

async function refusalOf(connection: Connection, name: string): Promise<JournalError> {
  const { rows } = await connection.query('SELECT holder FROM agenthost.cells WHERE name = $1', [name]);
  const [row] = rows;
  if (row === undefined)
    return new JournalError('missing', `database ${connection.place.database} has no cell ${name}`);
  const holder = optionalText(row, 'holder') ?? 'a host';
  return new JournalError('locked', `cell ${name} is in use by ${holder}: stop that host first`);
}

/** Resolves with the number of deleted sessions; `undefined`: there is no such cell, or a host holds it. */
async function hideCell(connection: Connection, name: string): Promise<number | undefined> {
  await connection.execute('BEGIN');
  try {
    const { rows } = await connection.query(
      `UPDATE agenthost.cells SET name = $2 || id::text || ' ' || name, epoch = epoch + 1,
         lease = NULL, holder = NULL, announced = NULL, expires_at = NULL
       WHERE name = $1 AND coalesce(expires_at <= clock_timestamp(), true) RETURNING id`,
      [name, HIDDEN],
    );
    const [row] = rows;
    const { rowCount } =
      row === undefined
        ? { rowCount: undefined }
        : await connection.query('DELETE FROM agenthost.sessions WHERE cell = $1', [number(row, 'id')]);
    await connection.execute('COMMIT');
    return rowCount ?? undefined;
  } catch (error) {
    if (!connection.isLost) await connection.execute('ROLLBACK');
    throw error;
  }
}

/** The cells whose rows are not all deleted, with their former names. */
async function readHidden(connection: Connection): Promise<{ readonly id: number; readonly name: string }[]> {
  const { rows } = await connection.query(
    'SELECT id, name FROM agenthost.cells WHERE starts_with(name, $1)',
    [HIDDEN],
  );
  return rows.map((row) => {
    const id = number(row, 'id');
    return { id, name: text(row, 'name').slice(`${HIDDEN}${id} `.length) };
  });
}

async function deleteRows(connection: Connection, id: number): Promise<void> {
  // Newer hosts may have added tables. Rows that refer to others come first, so that no deletion extends to more rows than a batch has.
  const { rows } = await connection.query(
    `SELECT format('agenthost.%I', relname) AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE relnamespace = 'agenthost'::regnamespace AND relkind = 'r' AND attname = 'cell' AND NOT attisdropped
     ORDER BY EXISTS (SELECT 1 FROM pg_constraint WHERE conrelid = pg_class.oid AND contype = 'f') DESC, relname`,
  );
  for (const row of rows) {
    const table = text(row, 'name');
    for (let found = await placesOf(connection, table, id); found.length > 0; ) {
      for (let at = 0; at < found.length; at += BATCH_ROWS)
        await connection.query(`DELETE FROM ${table} WHERE cell = $1 AND ctid = ANY ($2::tid[])`, [
          id,
          found.slice(at, at + BATCH_ROWS),
        ]);
      found = await placesOf(connection, table, id);
    }
  }
  await connection.query('DELETE FROM agenthost.cells WHERE id = $1', [id]);
}

async function placesOf(connection: Connection, table: string, id: number): Promise<string[]> {
  const { rows } = await connection.query(
    `SELECT ctid::text AS place FROM ${table} WHERE cell = $1 LIMIT ${FOUND_ROWS}`,
    [id],
  );
  return rows.map((row) => text(row, 'place'));
}
