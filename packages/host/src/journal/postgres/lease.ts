import { hostname } from 'node:os';
import { JournalError } from '../journal.ts';
import type { Announcement } from './announcement.ts';
import { type Connection, number, optionalText, type Row } from './connection.ts';

/** A cell that this host holds. */
export interface Lease {
  readonly cell: number;
  /** No other host has had the same. */
  readonly epoch: number;
}

/** The holder as other hosts name it. */
export const holderName = (): string => `${hostname()} (process ${process.pid})`;

/**
 * Tries to take a cell. Resolves with the lease, or with the refusal when another host holds the cell. A transaction of the former holder
 * that passed its fence ends first, so that its envelopes are read.
 */
export async function takeLease(
  connection: Connection,
  { name, ttlMs }: { readonly name: string; readonly ttlMs: number },
): Promise<Lease | JournalError> {
  await connection.query('INSERT INTO agenthost.cells (name) VALUES ($1) ON CONFLICT DO NOTHING', [name]);
  await connection.execute('BEGIN');
  try {
    const { rows } = await connection.query(
      `SELECT id, holder, extract(epoch FROM expires_at - clock_timestamp())::float8 * 1000 AS left_ms
       FROM agenthost.cells WHERE name = $1 FOR UPDATE`,
      [name],
    );
    const row: Row = rows[0] ?? {};
    const leftMs = row['left_ms'] === null ? 0 : Number(row['left_ms']);
    if (leftMs > 0) {
      const holder = optionalText(row, 'holder') ?? 'another host';
      return new JournalError(
        'locked',
        `cell ${name} is in use by ${holder}, for ${(leftMs / 1000).toFixed(1)} s more unless it renews its lease: stop that host, or choose another cell`,
      );
    }
    const taken = await connection.query(
      `UPDATE agenthost.cells SET epoch = epoch + 1, mark = 0, holder = $2, announced = NULL,
         expires_at = clock_timestamp() + $3 * interval '1 millisecond'
       WHERE id = $1 RETURNING epoch`,
      [number(row, 'id'), holderName(), ttlMs],
    );
    return { cell: number(row, 'id'), epoch: number(taken.rows[0] ?? {}, 'epoch') };
  } finally {
    if (!connection.isLost) await connection.execute('COMMIT');
  }
}

/**
 * Renews a lease by the server's clock, and writes how gateways reach the host. Resolves with whether this host still holds it.
 */
export async function renewLease(
  connection: Connection,
  { cell, epoch }: Lease,
  { ttlMs, announcement }: { readonly ttlMs: number; readonly announcement: Announcement | undefined },
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `UPDATE agenthost.cells SET announced = $4, expires_at = clock_timestamp() + $3 * interval '1 millisecond'
     WHERE id = $1 AND epoch = $2`,
    [cell, epoch, ttlMs, announcement === undefined ? null : JSON.stringify(announcement)],
  );
  return rowCount === 1;
}

/** Gives a lease back, so that the next host takes it at once. */
export async function releaseLease(connection: Connection, { cell, epoch }: Lease): Promise<void> {
  await connection.query(
    'UPDATE agenthost.cells SET holder = NULL, expires_at = NULL, announced = NULL WHERE id = $1 AND epoch = $2',
    [cell, epoch],
  );
}
