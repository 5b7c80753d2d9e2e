import { JournalError, type JournalStart } from '../journal.ts';
import { type LostRange, readLost } from '../sequence-numbers.ts';
import { type Connection, number, optionalText, type Row, text } from './connection.ts';
import type { Lease } from './lease.ts';

/** The numbers that a host continues from, with those of the writer. */
export interface Numbers {
  readonly start: JournalStart;
  readonly trimmedSeq: number;
  /** `total` of the newest envelope. */
  readonly total: number;
}

/**
 * Reads the numbers of a cell, and notes the start. A server never loses a commit that it has answered. But a restored backup, or a
 * standby that became the primary, may lack the newest commits, the reserved numbers among them: then numbers continue above the clock,
 * which is above any number that a host could have reached, and clients get snapshots [CONN-4]. `identity`: see `readIdentity`.
 */
export async function readNumbers(
  connection: Connection,
  { cell, token }: Lease,
  identity: string,
): Promise<Numbers> {
  const { rows } = await connection.query(
    `SELECT server, reserved_seq, trimmed_seq, trimmed_time, lost,
       (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
       newest.seq, newest.time, newest.total
     FROM agenthost.cells LEFT JOIN LATERAL (
       SELECT seq, time, total FROM agenthost.envelopes WHERE cell = id ORDER BY seq DESC LIMIT 1) AS newest ON true
     WHERE id = $1`,
    [cell],
  );
  const row: Row = rows[0] ?? {};
  const former = optionalText(row, 'server');
  const isEmpty = row['seq'] === null;
  const trimmedSeq = number(row, 'trimmed_seq');
  const lastSeq = isEmpty ? trimmedSeq : Math.max(trimmedSeq, number(row, 'seq'));
  const stored = Math.max(number(row, 'reserved_seq'), lastSeq);
  const isOther = former !== undefined && former !== identity;
  const reservedSeq = isOther ? Math.max(stored, number(row, 'now')) : stored;
  const lost: LostRange[] = readLost(text(row, 'lost'), trimmedSeq);
  if (isOther) lost.push({ after: lastSeq, upTo: reservedSeq });
  const { rowCount } = await connection.query(
    'UPDATE agenthost.cells SET server = $3, reserved_seq = $4, lost = $5 WHERE id = $1 AND lease = $2',
    [cell, token, identity, reservedSeq, JSON.stringify(lost)],
  );
  if (rowCount !== 1) throw new JournalError('lost', 'another host took over this journal during the start');
  return {
    start: {
      lastSeq,
      lastTime: isEmpty ? number(row, 'trimmed_time') : number(row, 'time'),
      reservedSeq,
      mayHaveLostTail: isOther,
      lost,
    },
    trimmedSeq,
    total: isEmpty ? 0 : number(row, 'total'),
  };
}
