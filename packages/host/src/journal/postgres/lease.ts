import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { JournalError } from '../journal.ts';
import type { Announcement } from './announcement.ts';
import { type Connection, number, optionalText, type Row } from './connection.ts';

/** A cell that this host holds. */
export interface Lease {
  readonly cell: number;
  /** Increased by each host that takes the cell. A restored database may give the same value twice, so holders are compared by `token`. */
  readonly epoch: number;
  /** Random, so that no other host has the same, whatever state a database is restored to. */
  readonly token: string;
}

/** The refusal of a cell that another host holds. */
export class CellInUse extends JournalError {
  /** The holder; see `holderName`. `undefined`: not known. */
  readonly holder: string | undefined;

  constructor(name: string, { holder, leftMs }: { holder: string | undefined; leftMs: number }) {
    const lease = `its lease ends in ${(leftMs / 1000).toFixed(1)} s unless it is renewed`;
    super(
      'locked',
      `cell ${name} is in use by ${holder ?? 'another host'} (${lease}): stop that host, or choose another cell`,
    );
    this.holder = holder;
  }
}

/** The holder as messages of other hosts show it. */
export const holderName = (): string => `${hostname()} (process ${process.pid})`;

/**
 * Tries to take a cell. Resolves with the lease, or with the refusal when another host holds the cell. Locks nothing while the lease of another
 * host is valid. Waits for the end of a transaction of the former holder that has passed its fence, so that its envelopes are read.
 */
export async function takeLease(
  connection: Connection,
  { name, ttlMs }: { readonly name: string; readonly ttlMs: number },
): Promise<Lease | CellInUse> {
  const seen = await readHolder(connection, name);
  if (seen === undefined)
    await connection.query('INSERT INTO agenthost.cells (name) VALUES ($1) ON CONFLICT DO NOTHING', [name]);
  else if (seen.leftMs > 0) return new CellInUse(name, seen);
  const token = randomUUID();
  // Waits for the former holder's transaction, and then reads the expiry again, which that transaction may have set.
  const { rows } = await connection.query(
    `UPDATE agenthost.cells SET epoch = epoch + 1, lease = $2, mark = 0, holder = $3, announced = NULL,
       expires_at = clock_timestamp() + $4 * interval '1 millisecond'
     WHERE name = $1 AND coalesce(expires_at <= clock_timestamp(), true) RETURNING id, epoch`,
    [name, token, holderName(), ttlMs],
  );
  const [taken] = rows;
  if (taken !== undefined) return { cell: number(taken, 'id'), epoch: number(taken, 'epoch'), token };
  return new CellInUse(name, (await readHolder(connection, name)) ?? { holder: undefined, leftMs: 0 });
}

/** The holder of a cell, and the remaining time of its lease. `undefined` for an unknown cell. */
async function readHolder(
  connection: Connection,
  name: string,
): Promise<{ holder: string | undefined; leftMs: number } | undefined> {
  const { rows } = await connection.query(
    `SELECT holder, extract(epoch FROM expires_at - clock_timestamp())::float8 * 1000 AS left_ms
     FROM agenthost.cells WHERE name = $1`,
    [name],
  );
  const row: Row | undefined = rows[0];
  if (row === undefined) return undefined;
  return {
    holder: optionalText(row, 'holder'),
    leftMs: row['left_ms'] === null ? 0 : number(row, 'left_ms'),
  };
}

/** The values that a host writes when it renews its lease. */
export interface Renewal {
  /** Duration of the lease. */
  readonly ttlMs: number;
  /** The number of the host's last commit. */
  readonly mark: number;
  /** How gateways reach the host. */
  readonly announcement: Announcement | undefined;
}

/**
 * Renews a lease by the server's clock, and writes how gateways reach the host. Resolves with true if this host still holds the lease and
 * the database has its last commit.
 */
export async function renewLease(
  connection: Connection,
  { cell, token }: Lease,
  { ttlMs, mark, announcement }: Renewal,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `UPDATE agenthost.cells SET announced = $5, expires_at = clock_timestamp() + $4 * interval '1 millisecond'
     WHERE id = $1 AND lease = $2 AND mark = $3`,
    [cell, token, mark, ttlMs, announcement === undefined ? null : JSON.stringify(announcement)],
  );
  return rowCount === 1;
}

/** Releases a lease, so that the next host can take it at once. */
export async function releaseLease(connection: Connection, { cell, token }: Lease): Promise<void> {
  await connection.query(
    `UPDATE agenthost.cells SET holder = NULL, expires_at = NULL, announced = NULL, lease = NULL
     WHERE id = $1 AND lease = $2`,
    [cell, token],
  );
}
