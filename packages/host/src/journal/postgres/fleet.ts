import { JournalError } from '../journal.ts';
import type { StoredSession } from '../rows.ts';
import { type Announcement, parseAnnouncement } from './announcement.ts';
import { type Connection, number, optionalText, type Row, text } from './connection.ts';
import { keyOf } from './stored-text.ts';

/** A cell as a gateway sees it. */
export interface FleetCell {
  readonly name: string;
  /** Raised whenever another host takes the cell. */
  readonly epoch: number;
  /** Whether the lease of its holder has not ended. */
  readonly isHeld: boolean;
  /** Machine and process of its holder. Absent: the holder has released the cell. */
  readonly holder: string | undefined;
  /** Absent: no host holds the cell, or its host does not listen yet, or gateways cannot reach it. */
  readonly announcement: Announcement | undefined;
}

/** A session with its cell. */
export interface FleetSession extends StoredSession {
  readonly cell: string;
}

/** A place in the list of all sessions: the last session of the page before. */
export type FleetPlace = Pick<FleetSession, 'modifiedAt' | 'cell' | 'uri'>;

const COLUMNS = `name, epoch, holder, announced, coalesce(expires_at > clock_timestamp(), false) AS is_held`;

/** Version of the tables since which hosts announce themselves. Later versions only add to what gateways read. */
const LEAST_VERSION = 2;

/**
 * Checks that the database has tables that gateways can read, and changes nothing. Rejects with `JournalError`: 'missing' when no host has created
 * them yet.
 */
export async function checkFleetTables(connection: Connection): Promise<void> {
  const { address, database } = connection.place;
  const { rows: found } = await connection.query(
    `SELECT to_regclass('agenthost.version') IS NOT NULL AS is_known`,
  );
  const { rows } =
    found[0]?.['is_known'] === true
      ? await connection.query('SELECT version FROM agenthost.version')
      : { rows: [] };
  if (rows[0] === undefined)
    throw new JournalError(
      'missing',
      `database ${database} at ${address} has no tables of a host: start a host with --journal`,
    );
  const version = number(rows[0], 'version');
  if (version < LEAST_VERSION)
    throw new JournalError(
      'newer',
      `database ${database} at ${address} has version ${version}, and gateways need ${LEAST_VERSION}: start a host of this version of agenthost there`,
    );
}

/** Reads cells, those with these names or all. Locks nothing. Rejects with `JournalError`. */
export async function readCells(connection: Connection, names?: readonly string[]): Promise<FleetCell[]> {
  const { rows } =
    names === undefined
      ? await connection.query(`SELECT ${COLUMNS} FROM agenthost.cells ORDER BY name`)
      : await connection.query(`SELECT ${COLUMNS} FROM agenthost.cells WHERE name = ANY($1)`, [names]);
  return rows.map(toCell);
}

const sessionsSql = (condition: string): string =>
  `SELECT name, coalesce(long_uri, uri) AS shown, modified_at, summary
   FROM agenthost.sessions JOIN agenthost.cells ON cells.id = sessions.cell ${condition}
   ORDER BY modified_at DESC, sessions.cell, sessions.uri LIMIT $1`;
const FIRST_SESSIONS = sessionsSql('');
// The first comparison alone lets the server begin in the middle of the index.
const LATER_SESSIONS = sessionsSql(
  `WHERE modified_at <= $2 AND (modified_at < $2 OR
     (sessions.cell, sessions.uri) > ((SELECT id FROM agenthost.cells WHERE name = $3), $4))`,
);

/** The sessions of all cells, newest first, at most `limit`. `after`: the last session of the page before. Rejects with `JournalError`. */
export async function listFleetSessions(
  connection: Connection,
  { limit, after }: { readonly limit: number; readonly after?: FleetPlace | undefined },
): Promise<FleetSession[]> {
  const { rows } =
    after === undefined
      ? await connection.query(FIRST_SESSIONS, [limit])
      : await connection.query(LATER_SESSIONS, [limit, after.modifiedAt, after.cell, keyOf(after.uri)]);
  return rows.map((row) => ({
    cell: text(row, 'name'),
    uri: text(row, 'shown'),
    modifiedAt: text(row, 'modified_at'),
    summary: text(row, 'summary'),
  }));
}

/** Number of the newest sessions that are searched for a repository. */
const SEARCHED_SESSIONS = 5_000;

/** The names of the cells with a recent session whose summary contains this text, the newest first. Rejects with `JournalError`. */
export async function cellsWithSessionsOf(connection: Connection, repository: string): Promise<string[]> {
  const { rows } = await connection.query(
    `SELECT name FROM (
       SELECT cell, modified_at, summary FROM agenthost.sessions ORDER BY modified_at DESC, cell, uri LIMIT ${SEARCHED_SESSIONS}
     ) AS newest JOIN agenthost.cells ON cells.id = newest.cell
     WHERE position($1 IN summary) > 0 GROUP BY name ORDER BY max(modified_at) DESC`,
    // As in the JSON of a summary.
    [JSON.stringify(repository)],
  );
  return rows.map((row) => text(row, 'name'));
}

function toCell(row: Row): FleetCell {
  const announced = optionalText(row, 'announced');
  return {
    name: text(row, 'name'),
    epoch: number(row, 'epoch'),
    isHeld: row['is_held'] === true,
    holder: optionalText(row, 'holder'),
    announcement: announced === undefined ? undefined : parseAnnouncement(announced),
  };
}
