import type { ServerCheck } from '../journal.ts';
import { number, type Statements, text } from './connection.ts';
import type { Lease } from './lease.ts';

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
    // Packagers add words of their own to the number.
    name: `PostgreSQL ${text(row, 'server').split(' ')[0]}`,
    cell: text(row, 'name'),
    tablesVersion: number(row, 'version'),
    isHeld: row['is_held'] === true,
  };
}
