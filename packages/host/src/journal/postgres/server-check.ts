import type { ServerCheck } from '../journal.ts';
import { Connection, number, optionalText, type Server, type Statements, text } from './connection.ts';
import type { Lease } from './lease.ts';
import { isUsable } from './migrations.ts';

/** See `Journal.checkServer`. */
export async function checkServer(statements: Statements, { token }: Lease): Promise<ServerCheck> {
  const row = await statements.get(
    `SELECT current_setting('server_version') AS server, name, coalesce(lease = $2, false) AS is_held,
       (SELECT version FROM agenthost.version)
     FROM agenthost.cells WHERE id = $1`,
    token,
  );
  if (row === undefined) return { name: 'PostgreSQL', cell: '', tablesVersion: 0, isHeld: false };
  return {
    name: serverName(text(row, 'server')),
    cell: text(row, 'name'),
    tablesVersion: number(row, 'version'),
    isHeld: row['is_held'] === true,
  };
}

/** A database server as a host would find it. */
export interface ServerSurvey {
  /** Kind and version of the server. */
  readonly name: string;
  /** Absent: the first host creates the tables. */
  readonly tables?: {
    readonly version: number;
    /** Whether this agenthost can use them. */
    readonly isUsable: boolean;
  };
  /** The host that holds the cell. Absent: none does. */
  readonly holder?: string;
}

/** Queries a database server for a cell, and changes nothing. Rejects with `JournalError`. */
export async function surveyServer(server: Server, cell: string): Promise<ServerSurvey> {
  const connection = await Connection.open(server, 'doctor');
  try {
    const { rows } = await connection.query(
      `SELECT current_setting('server_version') AS server, to_regclass('agenthost.version') IS NOT NULL AS has_tables`,
    );
    const [row = {}] = rows;
    const name = serverName(text(row, 'server'));
    if (row['has_tables'] !== true) return { name };
    const found = await connection.query(
      `SELECT version, least, holder FROM agenthost.version
       LEFT JOIN agenthost.cells ON name = $1 AND expires_at > clock_timestamp()`,
      [cell],
    );
    const [state] = found.rows;
    if (state === undefined) return { name };
    const holder = optionalText(state, 'holder');
    return {
      name,
      tables: { version: number(state, 'version'), isUsable: isUsable(number(state, 'least')) },
      ...(holder !== undefined && { holder }),
    };
  } finally {
    await connection.end();
  }
}

/** Packagers add words of their own to the version. */
const serverName = (version: string): string => `PostgreSQL ${version.split(' ')[0]}`;
